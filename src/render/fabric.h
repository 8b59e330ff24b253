// The fabrics to choose from: how their threads cross, their two colours and how they shine.
#ifndef RENDER_FABRIC_H
#define RENDER_FABRIC_H

typedef enum FabricName {
    FABRIC_PLAIN, // smooth, no threads
    FABRIC_LINEN,
    FABRIC_SILK,
    FABRIC_DENIM,
    FABRIC_WOOL,
    FABRICS,
} FabricName;

typedef struct Fabric {
    const char *name;
    float front[3], back[3]; // sRGB
    // Threads, as many along each side of the cloth. A warp thread passes over `over` weft threads
    // of `period`; from one weft thread to the next the pattern moves by `shift`.
    float threads;
    float period, shift, over;
    float relief;       // tilt of a thread's surface at its edge
    float gap;          // how dark it is between threads, 0 to 1
    float weft[3];      // colour of the weft on the front, as a factor of the front's colour
    float slub;         // difference of lightness between threads
    float sheen;        // gloss along the threads
    float fuzz;         // light caught by fibres at grazing angles
    float translucency; // share of the light behind that comes through
} Fabric;

const Fabric *fabric_of(FabricName name); // the plain one for a number that is none of them
FabricName fabric_find(const char *name); // FABRICS if none has that name

#endif
