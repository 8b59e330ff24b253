#include "cloth/boxes.h"

#include <stdlib.h>

// Cosine of the largest angle between a normal and the middle of its part: 60 degrees. The rest up
// to 90 is left for the motion until the next search.
#define CONE 0.5f
// The same where normals are known leaf by leaf, which leaves less to chance: 45 degrees. With 60,
// a hand pulled a cloth through itself.
#define CONE_OF_LEAVES 0.7071f
// Rounding of positions to single precision, as a share of their size.
#define ROUNDING 1e-6f

// ---- building

typedef struct Builder {
    Boxes *boxes;
    const Mesh *mesh;
    int *order; // triangles
} Builder;

static Vec3 centre_of(const Mesh *mesh, int triangle)
{
    const uint32_t *corner = mesh->triangles[triangle];
    const Vec3 *x = mesh->rest_position;
    return vec3_add(x[corner[0]], vec3_add(x[corner[1]], x[corner[2]]));
}

static double component(Vec3 v, int axis)
{
    return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

static int longest_axis(const Mesh *mesh, const int *order, int count)
{
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int i = 0; i < count; i++) {
        Vec3 centre = centre_of(mesh, order[i]);
        for (int a = 0; a < 3; a++) {
            low[a] = fmin(low[a], component(centre, a));
            high[a] = fmax(high[a], component(centre, a));
        }
    }
    int axis = 0;
    for (int a = 1; a < 3; a++)
        if (high[a] - low[a] > high[axis] - low[axis] + 1e-9) axis = a;
    return axis;
}

static bool is_before(const Mesh *mesh, int axis, int a, int b)
{
    double of_a = component(centre_of(mesh, a), axis), of_b = component(centre_of(mesh, b), axis);
    return of_a != of_b ? of_a < of_b : a < b;
}

// Quickselect: the first `half` triangles are those before the others along the axis.
static void halve(const Mesh *mesh, int axis, int *order, int count, int half)
{
    int low = 0, high = count - 1;
    while (low < high) {
        int pivot = order[(low + high) / 2], i = low, j = high;
        while (i <= j) {
            while (is_before(mesh, axis, order[i], pivot)) i++;
            while (is_before(mesh, axis, pivot, order[j])) j--;
            if (i > j) break;
            int swapped = order[i];
            order[i++] = order[j];
            order[j--] = swapped;
        }
        if (half <= j)
            high = j;
        else if (half >= i)
            low = i;
        else
            break;
    }
}

static void build(const Builder *builder, int first, int count)
{
    Boxes *boxes = builder->boxes;
    int *order = builder->order + first, half = count / 2;
    BoxNode *node = &boxes->nodes[boxes->node_count++];
    node->triangles[0] = order[0];
    node->triangles[1] = count > 1 ? order[1] : -1;
    if (count <= 2) return;
    halve(builder->mesh, longest_axis(builder->mesh, order, count), order, count, half);
    build(builder, first, half);
    node->second = boxes->node_count;
    build(builder, first + half, count - half);
}

// ---- boxes

static inline float sum(Float4 a)
{
    return a[0] + a[1] + a[2];
}

// Wider by so many metres and by what rounding may take.
static inline Box box_widen(Box box, float more)
{
    Float4 by = {more, more, more, 0.0f}, size = float4_higher(-box.low, box.high);
    by += ROUNDING * float4_higher(size, -size);
    return (Box){box.low - by, box.high + by};
}

Box box_around(Float4 a, Float4 b, float more)
{
    return box_widen((Box){float4_lower(a, b), float4_higher(a, b)}, more);
}

// Do all normals of this range lie within CONE of its middle?
static inline bool is_cone(const Box *normals)
{
    Float4 middle = normals->low + normals->high;
    float least = sum(float4_lower(normals->low * middle, normals->high * middle));
    return least > 0.0f && least * least >= CONE * CONE * sum(middle * middle);
}

static inline Float4 cross(Float4 a, Float4 b)
{
    Float4 a1 = __builtin_shufflevector(a, a, 1, 2, 0, 3),
           b1 = __builtin_shufflevector(b, b, 1, 2, 0, 3), c = a * b1 - a1 * b;
    return __builtin_shufflevector(c, c, 1, 2, 0, 3);
}

static inline Float4 normal_of(Float4 a, Float4 b, Float4 c)
{
    Float4 normal = cross(b - a, c - a);
    float square = sum(normal * normal);
    return normal * (square > 0.0f ? 1.0f / sqrtf(square) : 0.0f);
}

// Returns the largest room of its corners.
static float fit_triangle(BoxNode *node, Box *place, const uint32_t *corner, const BoxesAt *at)
{
    Float4 a = at->x[corner[0]], b = at->x[corner[1]], c = at->x[corner[2]];
    box_add(place, a);
    box_add(place, b);
    box_add(place, c);
    box_add(&node->normals, normal_of(a, b, c));
    float room = at->room[corner[0]];
    if (at->room[corner[1]] > room) room = at->room[corner[1]];
    if (at->room[corner[2]] > room) room = at->room[corner[2]];
    if (room > 0.0f) {
        Float4 u = at->ahead[corner[0]], v = at->ahead[corner[1]], w = at->ahead[corner[2]];
        box_add(&node->normals, normal_of(a - u, b - v, c - w));
        box_add(&node->normals, normal_of(a + u, b + v, c + w));
    }
    return room;
}

static void fit_leaf(BoxNode *node, Box *place, const Mesh *mesh, const BoxesAt *at)
{
    const Float4 none = {INFINITY, INFINITY, INFINITY, 0.0f};
    *place = node->normals = (Box){none, -none};
    float room = fit_triangle(node, place, mesh->triangles[node->triangles[0]], at);
    if (node->triangles[1] >= 0) {
        float other = fit_triangle(node, place, mesh->triangles[node->triangles[1]], at);
        if (other > room) room = other;
    }
    *place = box_widen(*place, 0.5f * at->reach + room);
}

void boxes_fit(Boxes *boxes, const Mesh *mesh, const BoxesAt *at)
{
    for (int i = boxes->node_count - 1; i >= 0; i--) { // children before their parents
        BoxNode *node = &boxes->nodes[i];
        Box *place = &boxes->places[i];
        if (node->second == 0) {
            fit_leaf(node, place, mesh, at);
            continue;
        }
        const BoxNode *first = node + 1, *second = &boxes->nodes[node->second];
        *place = box_join(place + 1, &boxes->places[node->second]);
        node->normals = box_join(&first->normals, &second->normals);
    }
}

// Boxes at rest, which say what lies beside each other.
static void fit_rest(Boxes *boxes, const Mesh *mesh)
{
    float more = (float)(0.5e-3 * mesh->spacing);
    for (int i = boxes->node_count - 1; i >= 0; i--) {
        BoxNode *node = &boxes->nodes[i];
        if (node->second != 0) {
            node->rest = box_join(&node[1].rest, &boxes->nodes[node->second].rest);
            continue;
        }
        const Float4 none = {INFINITY, INFINITY, INFINITY, 0.0f};
        node->rest = (Box){none, -none};
        for (int k = 0; k < 2 && node->triangles[k] >= 0; k++)
            for (int c = 0; c < 3; c++)
                box_add(&node->rest,
                        float4(mesh->rest_position[mesh->triangles[node->triangles[k]][c]]));
        node->rest = box_widen(node->rest, more);
    }
}

Status boxes_init(Boxes *boxes, const Mesh *mesh, Error *error)
{
    size_t count = (size_t)mesh->triangle_count;
    *boxes = (Boxes){.cones = mesh->rows > 0};
    if (count == 0) return STATUS_OK;
    boxes->nodes = calloc(2 * count, sizeof *boxes->nodes);
    boxes->places = calloc(2 * count, sizeof *boxes->places);
    Builder builder = {boxes, mesh, calloc(count, sizeof(int))};
    Status status = STATUS_OK;
    if (boxes->nodes && boxes->places && builder.order) {
        for (int i = 0; i < mesh->triangle_count; i++) builder.order[i] = i;
        build(&builder, 0, mesh->triangle_count);
        fit_rest(boxes, mesh);
    } else {
        boxes_finish(boxes);
        status = error_set(error, STATUS_OUT_OF_MEMORY,
                           "not enough memory for the boxes of %d triangles", mesh->triangle_count);
    }
    free(builder.order);
    return status;
}

void boxes_finish(Boxes *boxes)
{
    free(boxes->nodes);
    free(boxes->places);
    *boxes = (Boxes){0};
}

// The least of n.axis of normals n in this range.
static inline float least_along(const Box *normals, Float4 axis)
{
    return sum(float4_lower(normals->low * axis, normals->high * axis));
}

bool boxes_leaves_are_smooth(const Boxes *boxes, const int *leaves, int count, Float4 axis)
{
    float least = CONE_OF_LEAVES * sqrtf(sum(axis * axis));
    for (int i = 0; i < count; i++)
        if (!(least_along(&boxes->nodes[leaves[i]].normals, axis) >= least)) return false;
    return least > 0.0f;
}

bool boxes_are_smooth(const Boxes *boxes, int first, int second)
{
    const BoxNode *a = &boxes->nodes[first], *b = &boxes->nodes[second];
    if (!boxes->cones || !box_overlaps(&a->rest, &b->rest)) return false; // not beside each other
    Box normals = box_join(&a->normals, &b->normals);
    return is_cone(&normals);
}
