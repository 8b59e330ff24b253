#include "cloth/boxes.h"

#include <assert.h>
#include <stdlib.h>

// Cosine of the largest angle between a normal and the middle of its part: 45 degrees. The rest up
// to 90 is left for the motion until the next search.
#define CONE 0.7f
// Rounding of positions to single precision, as a share of their size.
#define ROUNDING 1e-6f
// A pair takes two places; the tree halves, so 256 triangles squared have a depth of 17.
enum { STACK = 256 };

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
    BoxNode *node = &boxes->nodes[boxes->node_count++];
    node->triangle = builder->order[first];
    if (count == 1) return;
    int *order = builder->order + first, half = count / 2;
    halve(builder->mesh, longest_axis(builder->mesh, order, count), order, count, half);
    build(builder, first, half);
    node->second = boxes->node_count;
    build(builder, first + half, count - half);
}

// ---- boxes

static inline void box_start(Box *box, Vec3 a)
{
    float v[3] = {(float)a.x, (float)a.y, (float)a.z};
    for (int i = 0; i < 3; i++) box->low[i] = box->high[i] = v[i];
}

static inline void box_add(Box *box, Vec3 a)
{
    float v[3] = {(float)a.x, (float)a.y, (float)a.z};
    for (int i = 0; i < 3; i++) {
        box->low[i] = v[i] < box->low[i] ? v[i] : box->low[i];
        box->high[i] = v[i] > box->high[i] ? v[i] : box->high[i];
    }
}

static inline void box_widen(Box *box, float by)
{
    for (int i = 0; i < 3; i++) {
        float size = fmaxf(fabsf(box->low[i]), fabsf(box->high[i]));
        box->low[i] -= by + ROUNDING * size;
        box->high[i] += by + ROUNDING * size;
    }
}

static inline Box box_join(const Box *a, const Box *b)
{
    Box out;
    for (int i = 0; i < 3; i++) {
        out.low[i] = a->low[i] < b->low[i] ? a->low[i] : b->low[i];
        out.high[i] = a->high[i] > b->high[i] ? a->high[i] : b->high[i];
    }
    return out;
}

static inline bool box_overlaps(const Box *a, const Box *b)
{
    int apart = 0;
    for (int i = 0; i < 3; i++) apart |= (a->low[i] > b->high[i]) | (b->low[i] > a->high[i]);
    return !apart;
}

// Do all normals of this range lie within CONE of its middle?
static bool is_cone(const Box *normals)
{
    float middle[3], square = 0.0f, least = 0.0f;
    for (int i = 0; i < 3; i++) {
        middle[i] = normals->low[i] + normals->high[i];
        square += middle[i] * middle[i];
        least += fminf(normals->low[i] * middle[i], normals->high[i] * middle[i]);
    }
    return least > 0.0f && least * least >= CONE * CONE * square;
}

static void fit_leaf(BoxNode *node, const uint32_t *corner, const Vec3 *x, float wider)
{
    Vec3 a = x[corner[0]], b = x[corner[1]], c = x[corner[2]];
    box_start(&node->place, a);
    box_add(&node->place, b);
    box_add(&node->place, c);
    box_widen(&node->place, wider);
    Vec3 normal = vec3_cross(vec3_sub(b, a), vec3_sub(c, a));
    double length = vec3_length(normal);
    box_start(&node->normals, vec3_scale(length > 0.0 ? 1.0 / length : 0.0, normal));
}

void boxes_fit(Boxes *boxes, const Mesh *mesh, const Vec3 *x, double reach)
{
    for (int i = boxes->node_count - 1; i >= 0; i--) { // children before their parents
        BoxNode *node = &boxes->nodes[i];
        if (node->second == 0) {
            fit_leaf(node, mesh->triangles[node->triangle], x, 0.5f * (float)reach);
            continue;
        }
        const BoxNode *first = node + 1, *second = &boxes->nodes[node->second];
        node->place = box_join(&first->place, &second->place);
        node->normals = box_join(&first->normals, &second->normals);
    }
}

static void fit_rest(Boxes *boxes, const Mesh *mesh)
{
    boxes_fit(boxes, mesh, mesh->rest_position, 1e-3 * mesh->spacing);
    for (int i = 0; i < boxes->node_count; i++) boxes->nodes[i].rest = boxes->nodes[i].place;
}

Status boxes_init(Boxes *boxes, const Mesh *mesh, Error *error)
{
    size_t count = (size_t)mesh->triangle_count;
    *boxes = (Boxes){.cones = mesh->rows > 0};
    if (count == 0) return STATUS_OK;
    boxes->nodes = calloc(2 * count, sizeof *boxes->nodes);
    Builder builder = {boxes, mesh, calloc(count, sizeof(int))};
    Status status = STATUS_OK;
    if (boxes->nodes && builder.order) {
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
    *boxes = (Boxes){0};
}

// ---- searching

typedef struct Search {
    const Boxes *boxes;
    int depth;
    int stack[STACK][2];
} Search;

static void push(Search *search, int a, int b)
{
    assert(search->depth < STACK);
    search->stack[search->depth][0] = a;
    search->stack[search->depth++][1] = b;
}

static bool is_smooth(const Boxes *boxes, const BoxNode *a, const BoxNode *b)
{
    if (!boxes->cones || !box_overlaps(&a->rest, &b->rest)) return false; // not beside each other
    Box normals = box_join(&a->normals, &b->normals);
    return is_cone(&normals);
}

static float size_of(const BoxNode *node)
{
    float size = 0.0f;
    for (int i = 0; i < 3; i++) size += node->place.high[i] - node->place.low[i];
    return size;
}

// The parts of a pair, of the larger node; of a node with itself, those of its children.
static void divide(Search *search, int a, int b)
{
    const BoxNode *nodes = search->boxes->nodes;
    if (a == b) {
        push(search, a + 1, nodes[a].second);
        push(search, nodes[a].second, nodes[a].second);
        push(search, a + 1, a + 1);
        return;
    }
    bool split_b = nodes[b].second && (!nodes[a].second || size_of(&nodes[b]) > size_of(&nodes[a]));
    push(search, split_b ? a : nodes[a].second, split_b ? nodes[b].second : b);
    push(search, split_b ? a : a + 1, split_b ? b + 1 : b);
}

void boxes_pairs(const Boxes *boxes, void (*visit)(void *self, int a, int b), void *self)
{
    Search search = {.boxes = boxes};
    if (boxes->node_count > 0) push(&search, 0, 0);
    while (search.depth > 0) {
        search.depth--;
        int a = search.stack[search.depth][0], b = search.stack[search.depth][1];
        const BoxNode *first = &boxes->nodes[a], *other = &boxes->nodes[b];
        if (a != b && !box_overlaps(&first->place, &other->place)) continue;
        if (is_smooth(boxes, first, other)) continue;
        if (first->second || other->second)
            divide(&search, a, b);
        else if (a != b)
            visit(self, first->triangle, other->triangle);
    }
}
