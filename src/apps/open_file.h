// Opens the files that the user drops on the window or chooses among the recent ones.
#ifndef APPS_OPEN_FILE_H
#define APPS_OPEN_FILE_H

#include "ui/ui.h"

typedef struct PlayedFile PlayedFile; // a recording that the simulation thread plays

// Open what ui->want_open names, if anything. A recording gets a simulation thread of its own,
// which takes the place of *sim; that one is not replaced while it writes a recording (`records`).
// What cannot be opened is told and changes nothing. True if *sim is another one.
bool open_wanted_file(Ui *ui, bool records, SimThread **sim, PlayedFile **played);

void played_file_destroy(PlayedFile *file); // after its thread; accepts NULL

#endif
