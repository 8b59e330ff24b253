#include "cloth/polygon.h"

#include <math.h>
#include <stdbool.h>

typedef struct Polygon {
    PolygonScratch at;
    int count; // of corners that are left
    int any;   // one of them
} Polygon;

// Newell's normal: twice the area as a vector, also of a polygon that is not quite flat.
static Vec3 normal_of(const Vec3 *corners, int count)
{
    Vec3 sum = {0};
    for (int i = 0; i < count; i++) {
        Vec3 a = vec3_sub(corners[i], corners[0]);
        Vec3 b = vec3_sub(corners[(i + 1) % count], corners[0]);
        sum = vec3_add(sum, vec3_cross(a, b));
    }
    return sum;
}

// Drop the coordinate in which the polygon is thinnest, so that it runs counter-clockwise.
static void flatten(const Vec3 *corners, int count, double (*flat)[2])
{
    Vec3 n = normal_of(corners, count);
    double x = fabs(n.x), y = fabs(n.y), z = fabs(n.z);
    for (int i = 0; i < count; i++) {
        Vec3 p = vec3_sub(corners[i], corners[0]);
        double across, up, facing;
        if (x >= y && x >= z) {
            across = p.y, up = p.z, facing = n.x;
        } else if (y >= z) {
            across = p.z, up = p.x, facing = n.y;
        } else {
            across = p.x, up = p.y, facing = n.z;
        }
        flat[i][0] = facing < 0.0 ? up : across;
        flat[i][1] = facing < 0.0 ? across : up;
    }
}

// Twice the area of a triangle; negative if it runs clockwise.
static double turn(const double a[2], const double b[2], const double c[2])
{
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

static double side(const double a[2], const double b[2])
{
    double x = b[0] - a[0], y = b[1] - a[1];
    return x * x + y * y;
}

// The shorter the cut, the better: then a large polygon is not cut into a fan from one corner.
// Negative where the corner turns inwards or another corner lies in the triangle.
static double quality_of(const Polygon *polygon, int corner)
{
    double(*flat)[2] = polygon->at.flat;
    int before = polygon->at.last[corner], after = polygon->at.next[corner];
    const double *a = flat[before], *b = flat[corner], *c = flat[after];
    if (!(turn(a, b, c) > 0.0)) return -1.0;
    for (int i = polygon->at.next[after]; i != before; i = polygon->at.next[i]) {
        const double *p = flat[i];
        bool inside = turn(a, b, p) >= 0.0 && turn(b, c, p) >= 0.0 && turn(c, a, p) >= 0.0;
        bool same = side(p, a) == 0.0 || side(p, b) == 0.0 || side(p, c) == 0.0;
        if (inside && !same) return -1.0;
    }
    return 1.0 / side(a, c);
}

static void judge(Polygon *polygon)
{
    int i = polygon->any;
    do {
        polygon->at.quality[i] = quality_of(polygon, i);
        i = polygon->at.next[i];
    } while (i != polygon->any);
}

static int best_corner(const Polygon *polygon)
{
    const double *quality = polygon->at.quality;
    int best = polygon->any;
    for (int i = polygon->at.next[best]; i != polygon->any; i = polygon->at.next[i]) {
        if (quality[i] > quality[best]) best = i;
    }
    return best;
}

// Where the best ear is; a corner may have become one when another was cut.
static int find_ear(Polygon *polygon)
{
    int best = best_corner(polygon);
    if (polygon->at.quality[best] >= 0.0) return best;
    judge(polygon);
    return best_corner(polygon);
}

void polygon_cut(const Vec3 *corners, int count, PolygonScratch *scratch, int (*triangles)[3])
{
    flatten(corners, count, scratch->flat);
    for (int i = 0; i < count; i++) {
        scratch->next[i] = (i + 1) % count;
        scratch->last[i] = (i + count - 1) % count;
    }
    Polygon polygon = {*scratch, count, 0};
    judge(&polygon);
    for (; polygon.count > 3; polygon.count--) {
        int ear = find_ear(&polygon), before = scratch->last[ear], after = scratch->next[ear];
        int *triangle = triangles[count - polygon.count];
        triangle[0] = before, triangle[1] = ear, triangle[2] = after;
        scratch->next[before] = after;
        scratch->last[after] = before;
        polygon.any = before;
        scratch->quality[before] = quality_of(&polygon, before);
        scratch->quality[after] = quality_of(&polygon, after);
    }
    int last = polygon.any;
    int *triangle = triangles[count - 3];
    triangle[0] = last, triangle[1] = scratch->next[last], triangle[2] = scratch->last[last];
}
