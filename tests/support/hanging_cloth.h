// A snapshot for the tests of the view: a real cloth at a place where a test knows what is visible.
#ifndef TESTS_HANGING_CLOTH_H
#define TESTS_HANGING_CLOTH_H

#include "simulation/snapshot.h"

// rows x rows particles, 1 m wide, hanging straight down from y = 0 in the plane z = 0, pinned by
// its two top corners. Fails the test on an error; free with snapshot_finish.
Snapshot hanging_cloth(int rows);

#endif
