// One function per panel, one file each. Called by ui_draw with ui->now set.
#ifndef UI_PANELS_H
#define UI_PANELS_H

#include "ui/ui.h"

void panel_top(Ui *ui);       // scene, time, real time, cost, frames
void panel_controls(Ui *ui);  // left: everything that can be changed
void panel_readouts(Ui *ui);  // right: everything that is measured
void panel_timeline(Ui *ui);  // above the bottom: where we are, and the past
void panel_transport(Ui *ui); // bottom: play, pause, step, speed
void panel_lanes(Ui *ui);     // below each lane's picture: what it is and how it does
void panel_overlay(Ui *ui);   // over the cloth: hints and messages
void panel_autopsy(Ui *ui);   // after a divergence: what happened and what would have helped
void panel_tabs(Ui *ui);      // at the edges: open and close the panels
void panel_torn(Ui *ui);      // in the pictures: what was left out of them
void panel_keys(Ui *ui);      // F1
void panel_saving(Ui *ui);    // a question, if there is one: may a file be overwritten?
void saving_accept(Ui *ui);   // answer it: no, under the other name

// Keep and share: a section of the controls, and what its keys do.
void section_share(Ui *ui);
void share_copy_command_line(Ui *ui); // of the present scene, to the clipboard
void share_toggle_video(Ui *ui);      // start or stop a video of the view
void panel_video(Ui *ui);             // over the view, while one is made

// Parts that move into the controls where a bar has no room for them.
void panel_top_scene(Ui *ui);
void panel_top_lessons(Ui *ui);
void panel_transport_rest(Ui *ui);
// The track of the timeline with its marks, in a place of the current ImGui window.
void panel_timeline_in(Ui *ui, Rect place);

bool ui_close_message(Ui *ui); // false if there was none

// Whether the report of the lane's divergence is to be seen; closing it, until the next one.
bool autopsy_is_open(const Ui *ui, int lane);
void autopsy_close(Ui *ui, int lane);
void autopsy_open(Ui *ui, int lane); // again

#endif
