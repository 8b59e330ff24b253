// A snapshot for the tests of the view: a real cloth, put where a test can say what is to be seen.
#ifndef TESTS_HANGING_CLOTH_H
#define TESTS_HANGING_CLOTH_H

#include "simulation/snapshot.h"

// rows x rows particles, 1 m wide, hanging straight down from y = 0 in the plane z = 0, pinned by
// its two top corners. Fails the test if it cannot be made; free with snapshot_finish.
Snapshot hanging_cloth(int rows);

#endif
