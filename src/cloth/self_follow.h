// Private to self_contact.c: how far blocks of triangles moved, and which of them may meet soon.
//
// In a survey all listed pairs of blocks are looked through. Those that cannot come near each other
// in some steps sleep: neither they nor blocks that are only in such pairs are followed, until
// twice the way of the fastest particle has used up what the nearest of them were apart. A block
// that slept is followed by one way, from survey to survey, instead of by that of each step.
#ifndef CLOTH_SELF_FOLLOW_H
#define CLOTH_SELF_FOLLOW_H

#include "cloth/self_contact.h"

// The way of a step.
typedef struct SelfWay {
    const double *from, *to; // m, flat
    Vec3 frame;              // m, motion of the whole
} SelfWay;

// After a search: all blocks that are listed are followed, until the next survey.
void self_use_blocks(SelfContact *contact);

// Both follow blocks to the start of a step: those that are awake, or all. After a survey pairs
// sleep that are further apart than `below`, m. They return the rounding of distances between
// `now`, m.
float self_follow(SelfContact *contact, const Mesh *mesh, const SelfWay *way);
float self_survey(SelfContact *contact, const Mesh *mesh, const SelfWay *way, float below);

// Two blocks have come nearer by at most so much since they were looked at, m.
float self_nearing(const SelfContact *contact, const SelfClose *close);

// From here on, they are looked at from where they are.
void self_take_reference(SelfContact *contact, SelfClose *close);

#endif
