// Keep and share: what is shown, for others or for later.
#include "runtime/command_line.h"
#include "ui/panels.h"
#include "ui/widgets.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void share_copy_command_line(Ui *ui)
{
    enum { SHOWN = 300 };
    char line[COMMAND_LINE_SIZE], text[SHOWN + 80];
    Error error;
    if (command_line_print(&ui->stage->scene, ui->stage->reference, line, &error) != STATUS_OK) {
        ui_say(ui, error.text);
        return;
    }
    igSetClipboardText(line);
    snprintf(text, sizeof text, "Copied: %.*s%s", (int)SHOWN, line,
             strlen(line) > SHOWN ? " … (the whole line was copied)" : "");
    ui_say(ui, text);
}

void share_toggle_video(Ui *ui)
{
    ui->video.wish = ui->video.on ? VIDEO_STOP : VIDEO_START;
}

// A red dot and how long the video is, at the top left of the view.
void panel_video(Ui *ui)
{
    const VideoView *video = &ui->video;
    if (!video->on) return;
    const Rect *place = &ui->layout.cards, *tab = &ui->layout.controls_tab;
    float left = fmaxf(place->x, tab->x + tab->width) + 0.7f * ui->em;
    igSetNextWindowPos((ImVec2){left, place->y + 0.7f * ui->em}, ImGuiCond_Always, (ImVec2){0, 0});
    igPushStyleVar_Float(ImGuiStyleVar_WindowRounding, 0.5f * ui->em);
    igPushStyleVar_Vec2(ImGuiStyleVar_WindowPadding, (ImVec2){ui_ems(ui, 0.5f), ui_ems(ui, 0.35f)});
    igBegin("##video", NULL,
            ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove |
                ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_AlwaysAutoResize |
                ImGuiWindowFlags_NoNav | ImGuiWindowFlags_NoFocusOnAppearing);
    char text[48];
    snprintf(text, sizeof text, "%s%.1f s", video->finishing ? "finishing " : "", video->seconds);
    ImVec2 at;
    igGetCursorScreenPos(&at);
    float dot = 0.36f * ui->em, line = igGetFrameHeight();
    ImDrawList_AddCircleFilled(igGetWindowDrawList(), (ImVec2){at.x + dot, at.y + 0.5f * line}, dot,
                               ui->palette.red, 0);
    igSetCursorScreenPos((ImVec2){at.x + 2.0f * dot + 0.4f * ui->em,
                                  at.y + floorf(0.5f * (line - ui->fonts.bold.height))});
    widget_text(ui->fonts.bold, ui->palette.text, text);
    float next = at.x + 2.0f * dot + 1.2f * ui->em + widget_text_width(ui->fonts.bold, text);
    if (!video->finishing) {
        igSetCursorScreenPos((ImVec2){next, at.y});
        if (widget_button(ui, "stop", true)) ui->video.wish = VIDEO_STOP;
        widget_tooltip(ui, "Keep the video (F9)");
        igSameLine(0.0f, 0.4f * ui->em);
    } else {
        igSetCursorScreenPos((ImVec2){next, at.y});
    }
    if (widget_button(ui, "discard", false)) ui->video.wish = VIDEO_DISCARD;
    ui_cover_view(ui);
    igEnd();
    igPopStyleVar(2);
}

void section_share(Ui *ui)
{
    widget_section(ui, "KEEP AND SHARE");
    if (widget_button(ui, "copy as command line", false)) share_copy_command_line(ui);
    widget_tooltip(ui,
                   "The command that opens this scene with its parameters, lanes and pins, for a "
                   "terminal (Ctrl C)");
    bool on = ui->video.on;
    if (widget_button(ui, on ? "stop the video" : "make a video", on)) share_toggle_video(ui);
    widget_tooltip(ui,
                   "Of the view, a frame every 1/30 simulated second, as NAME.mp4 in the working "
                   "directory; needs ffmpeg (F9)");
}
