// A lesson in the window: its caption below the cloth, its list in the top bar, its page keys.
#ifndef UI_LESSON_PANEL_H
#define UI_LESSON_PANEL_H

#include "ui/ui.h"

// Open a lesson, by its name or path, at its first step.
Status lesson_open(Ui *ui, const char *name, Error *error);
bool lesson_is_open(const Ui *ui);
void lesson_page(Ui *ui, int by); // 1: forward, -1: back
// Leave it and keep the cloth. False if none is open.
bool lesson_leave(Ui *ui);

// Height that the caption would like, window units, in a place so wide; 0 without a lesson.
float lesson_caption_height(Ui *ui, float width);
void panel_lesson(Ui *ui); // the caption, at ui->lesson.place

void lesson_list_box(Ui *ui); // at the cursor

#endif
