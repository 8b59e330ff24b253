// What was done to a simulation, as text to read, edit and replay. Scene, commands and the number
// of steps between them decide every bit, so a replay ends in the same state.
//
//   selvage-record 1
//   scene NAME              then the text of a scene file, then
//   end scene
//   mesh FINGERPRINT        if the scene has a mesh file: that file must not have changed
//   particles               if it did not start as the scene says: a state as CSV, then
//   end particles
//   TICK  TIME s  COMMAND   any number of these
//   TICK  TIME s  end HASH  how it ended; missing when the program was killed
//
// A command takes effect before a step. TICK counts the steps tried before it, including those that
// were refused or later taken back. A file written by hand may omit it; the command then takes
// effect before the first step that starts at TIME or later. HASH may be omitted too and is then
// not compared. A line that starts with ; or # is a comment. Commands:
//
//   set NAME VALUE          a parameter, as in a scene file
//   grab PARTICLE X Y Z     grab it, and move it towards that place (m)
//   move X Y Z              the hand goes there
//   release
//   pin PARTICLE            pin it, or free it
//   reset
//   rewind SECONDS          back by at least that; 0: before the divergence, or by one state
//   back TICK               to the state of that tick, with the commands up to it; those after it
//                           are void
//   recall                  undo the last `back`: those commands count again, the ones since do not
//   resume                  forget the older states that rewind goes back to
//   excite SPEED COUNT      adds SPEED (m/s) times a shape: COUNT lines with X Y Z follow
//   load NAME               another scene: text, `end scene` and `mesh` follow as above
//
// Where the scene has lanes, each takes steps of its own length, so a moment is a time of their
// common clock, without a tick: a command takes effect before each lane's first step that starts at
// TIME or later, or where the lane has stopped. `end` has a hash for each lane. More commands:
//
//   lane NUMBER COMMAND     for that lane alone; a parameter set so is its own from then on
//   share NAME              (of a lane) it takes the value of all lanes again
//   retry                   (of a lane) it had stopped and tries again
//   back TIME s             as above, to a time of the clock
#ifndef RUNTIME_RECORDING_H
#define RUNTIME_RECORDING_H

#include "base/file.h"
#include "simulation/simulation.h"

#define RECORDING_VERSION 1

typedef struct RecordedCommand {
    long tick;     // -1: not given, `time` decides
    double time;   // s, simulated
    int line;      // in the file
    uint64_t mesh; // for COMMAND_LOAD_SCENE: fingerprint of the mesh; 0: a grid
    Command command;
} RecordedCommand;

typedef struct Recording {
    const char *path; // borrowed
    FileText text;
    Scene scene;
    int scene_line;        // in the file
    uint64_t mesh;         // as in RecordedCommand
    const char *particles; // in `text`; NULL: it starts as the scene says
    size_t particles_size;
    int particles_line; // line before their first line
    int command_count;
    RecordedCommand *commands;
    bool cut;        // the text ends within a line or a block, which was ignored
    bool has_end;    // if false, the rest is invalid
    long end_tick;   // -1: not given
    double end_time; // s
    int hash_count;  // of lanes, or of the one run; 0: none
    uint64_t hashes[SCENE_LANES_MAX];
} Recording;

// An invalid file is refused with the line and what is allowed there. A file without an end
// contains the complete commands. `path` must outlive the recording.
Status recording_read(const char *path, Recording *out, Error *error);
// The same of a text in memory, as file_read gives it. It is taken over, whatever the status.
Status recording_parse(const char *path, FileText text, Recording *out, Error *error);
void recording_finish(Recording *recording); // accepts a zeroed one

#endif
