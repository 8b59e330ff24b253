// Private to the files that are compiled once per instruction set: which particles a register of
// spring_stars.h holds.
#ifndef CLOTH_STAR_PARTS_H
#define CLOTH_STAR_PARTS_H

#include "cloth/grid_parts.h"

// A register of particles of a group.
typedef struct Members {
    long at;        // where the x of the first of them stands
    int first, end; // their slots
    int lane;       // of the group, of the first of them
    int group;
} Members;

// From the first of them to each.
static const int members_own[] = {0, 4, 8, 12, 16, 20, 24, 28};

// Registers are counted through all groups.
enum { GROUP_REGISTERS = MESH_LANES / V_LANES };

CASE Members members_of(const StarGroups *stars, int number)
{
    int group = number / GROUP_REGISTERS;
    return (Members){.at = (long)MESH_ENTRIES * V_LANES * number,
                     .first = stars->first[group],
                     .end = stars->first[group + 1],
                     .lane = number % GROUP_REGISTERS * V_LANES,
                     .group = group};
}

// The registers of a block.
CASE int block_start(int block)
{
    return block * STAR_BLOCK * GROUP_REGISTERS;
}
CASE int block_end(const StarGroups *stars, int block)
{
    int end = (block + 1) * STAR_BLOCK;
    return GROUP_REGISTERS * (end < stars->groups ? end : stars->groups);
}

#endif
