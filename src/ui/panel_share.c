// Keep and share: what is shown, for others or for later.
#include "runtime/command_line.h"
#include "ui/panels.h"
#include "ui/widgets.h"

#include <stdio.h>
#include <string.h>

void share_copy_command_line(Ui *ui)
{
    enum { SHOWN = 300 };
    char line[COMMAND_LINE_SIZE], text[SHOWN + 80];
    Error error;
    if (command_line_print(&ui->stage->scene, line, &error) != STATUS_OK) {
        ui_say(ui, error.text);
        return;
    }
    igSetClipboardText(line);
    snprintf(text, sizeof text, "Copied: %.*s%s", (int)SHOWN, line,
             strlen(line) > SHOWN ? " … (the whole line was copied)" : "");
    ui_say(ui, text);
}

void section_share(Ui *ui)
{
    widget_section(ui, "KEEP AND SHARE");
    if (widget_button(ui, "copy as command line", false)) share_copy_command_line(ui);
    widget_tooltip(ui,
                   "The command that opens this scene with its parameters, lanes and pins, for a "
                   "terminal (Ctrl C)");
}
