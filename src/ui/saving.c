#include "ui/panels.h"
#include "ui/widgets.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_NAMES = 10000 };

static bool exists(const char *path)
{
    struct stat there;
    return lstat(path, &there) == 0;
}

// NAME-edited, once. A long name is cut, at the beginning of a UTF-8 character, because a scene is
// named after its file and that must be loaded again; there is room for "-9999".
static void base_name(const Scene *scene, char *out, size_t size)
{
    static const char suffix[] = "-edited";
    size_t length = strlen(scene->name), tail = sizeof suffix - 1;
    bool edited = length > tail && strcmp(scene->name + length - tail, suffix) == 0;
    if (edited) length -= tail;
    size_t most = sizeof scene->name - sizeof suffix - strlen("-9999");
    if (length > most) length = most;
    while (length > 0 && ((unsigned char)scene->name[length] & 0xc0) == 0x80) length--;
    snprintf(out, size, "%.*s%s", (int)length, scene->name, suffix);
}

static void write_to(Ui *ui, const char *path)
{
    const Scene *scene = &ui->saving.scene;
    char text[sizeof ui->saving.other + 16];
    Error error;
    ui->saving.asks = false;
    if (scene_save(scene, path, &error) != STATUS_OK) {
        ui_say(ui, error.text);
        return;
    }
    snprintf(text, sizeof text, "Saved as %s.", path);
    ui_say(ui, text);
}

void ui_save_scene(Ui *ui)
{
    Saving *saving = &ui->saving;
    char name[sizeof saving->scene.name + 8];
    saving->scene = ui->stage->scene;
    base_name(&saving->scene, name, sizeof name);
    snprintf(saving->path, sizeof saving->path, "%s.ini", name);
    if (!exists(saving->path)) {
        write_to(ui, saving->path);
        return;
    }
    saving->asks = true;
    ui->message_until = 0.0; // the last one is about another file
    for (int i = 2; i < MOST_NAMES; i++) {
        snprintf(saving->other, sizeof saving->other, "%s-%d.ini", name, i);
        if (!exists(saving->other)) break;
    }
}

void panel_saving(Ui *ui)
{
    Saving *saving = &ui->saving;
    if (!saving->asks) return;
    const Rect *view = &ui->layout.view;
    ImVec2 screen = igGetIO_Nil()->DisplaySize;
    float width = 26.0f * ui->em < 0.94f * screen.x ? 26.0f * ui->em : 0.94f * screen.x;
    float x = view->x + 0.5f * view->width;
    x = x < 0.5f * width ? 0.5f * width : x;
    x = x > screen.x - 0.5f * width ? screen.x - 0.5f * width : x;
    igSetNextWindowPos((ImVec2){x, 0.45f * screen.y}, ImGuiCond_Always, (ImVec2){0.5f, 0.5f});
    igSetNextWindowSize((ImVec2){width, 0.0f}, ImGuiCond_Always);
    igSetNextWindowSizeConstraints((ImVec2){width, 0.0f}, (ImVec2){width, 0.94f * screen.y}, NULL,
                                   NULL);
    igPushStyleVar_Float(ImGuiStyleVar_WindowRounding, 0.5f * ui->em);
    igPushStyleVar_Float(ImGuiStyleVar_WindowBorderSize, 1.0f);
    igBegin("##saving", NULL,
            ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoCollapse |
                ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoNav);
    char text[sizeof saving->path + sizeof saving->other + 80];
    snprintf(text, sizeof text, "There is already a file %s. Overwrite it, or save as %s?",
             saving->path, saving->other);
    widget_text_wrapped(ui->fonts.regular, ui->palette.text, text);
    igDummy((ImVec2){0, ui_ems(ui, 0.3f)});
    if (widget_button(ui, "save under the new name", true)) write_to(ui, saving->other);
    widget_beside(ui, "overwrite");
    if (widget_button(ui, "overwrite", false)) write_to(ui, saving->path);
    widget_beside(ui, "cancel");
    if (widget_button(ui, "cancel", false)) saving->asks = false;
    ui_cover_view(ui);
    igEnd();
    igPopStyleVar(2);
}

void saving_accept(Ui *ui)
{
    if (ui->saving.asks) write_to(ui, ui->saving.other);
}
