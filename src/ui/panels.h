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
void panel_overlay(Ui *ui);
void panel_torn(Ui *ui); // in the pictures, what was left out of them   // over the cloth: hints, messages, divergence
void panel_keys(Ui *ui);      // F1
void panel_saving(Ui *ui);    // a question, if there is one: may a file be overwritten?
void saving_accept(Ui *ui);   // answer it: no, under the other name

// Keep and share: a section of the controls, and what its keys do.
void section_share(Ui *ui);
void share_copy_command_line(Ui *ui); // of the present scene, to the clipboard

#endif
