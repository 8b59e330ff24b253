#include "scene/start_shape.h"

#include <math.h>

enum { PANELS = 1024, BISECTIONS = 50 };

// Length of the curve over 0 .. x, by the midpoint rule: accurate for a smooth periodic curve.
static double curve_length(const StartShape *shape, double amplitude, double x)
{
    double dx = x / PANELS, length = 0.0;
    for (int i = 0; i < PANELS; i++) {
        double slope = amplitude * shape->wavenumber * cos(shape->wavenumber * (i + 0.5) * dx);
        length += sqrt(1.0 + slope * slope) * dx;
    }
    return length;
}

StartShape start_shape(double width, double gather, int folds)
{
    StartShape shape = {.width = width, .gathered = gather * width};
    if (!(gather < 1.0) || folds < 1) {
        shape.gathered = width;
        return shape;
    }
    shape.wavenumber = 2.0 * acos(-1.0) * folds / shape.gathered;
    double low = 0.0, high = width; // a curve of amplitude `width` is longer than the cloth
    for (int i = 0; i < BISECTIONS; i++) {
        double middle = 0.5 * (low + high);
        if (curve_length(&shape, middle, shape.gathered) < width)
            low = middle;
        else
            high = middle;
    }
    shape.amplitude = low;
    return shape;
}

Vec3 start_shape_place(const StartShape *shape, Vec3 rest)
{
    if (shape->amplitude == 0.0) return rest;
    double low = 0.0, high = shape->gathered;
    for (int i = 0; i < BISECTIONS; i++) {
        double middle = 0.5 * (low + high);
        if (curve_length(shape, shape->amplitude, middle) < rest.x)
            low = middle;
        else
            high = middle;
    }
    double x = 0.5 * (low + high);
    return (Vec3){x + 0.5 * (shape->width - shape->gathered),
                  rest.y + shape->amplitude * sin(shape->wavenumber * x), rest.z};
}
