// selvage view: the window, or a table and a picture without one.
#include "apps/commands.h"
#include "apps/headless.h"
#include "apps/report.h"

#ifdef HAVE_VIEWER
#include "apps/display.h"
#include "apps/viewer.h"
#endif

static const double HEADLESS_SECONDS = 5.0;

// Simulate for a while, print the readouts, and write a picture if there is a name for it.
static int view_without_window(const Scene *scene, const char *picture)
{
    Simulation *simulation = NULL;
    OutputFile output = {0};
    HeadlessResult result;
    Error error;
    Status status = output_file_begin(&output, picture, &error);
    if (status == STATUS_OK) status = simulation_create(scene, &simulation, &error);
    if (status == STATUS_OK) {
        HeadlessPlan plan = {.seconds = HEADLESS_SECONDS, .steps = -1};
        status = headless_simulate(simulation, scene, &plan, &result, &error);
    }
    if (status == STATUS_OK) {
        headless_print_table(&result, stdout);
        status = headless_write_picture(simulation, &output, &error);
    }
    if (status == STATUS_OK && result.diverged) {
        status =
            error_set(&error, STATUS_DIVERGED, "%s diverged: %.300s", scene->name, result.message);
    }
    output_file_finish(&output);
    simulation_destroy(simulation);
    return status == STATUS_OK ? EXIT_DONE : report_error(&error);
}

#ifdef HAVE_VIEWER
static int view(const Scene *scene, const Options *options)
{
    if (!display_connect()) {
        char picture[sizeof scene->name + sizeof ".png"];
        snprintf(picture, sizeof picture, "%s.png", scene->name);
        fprintf(stderr,
                "selvage: there is no display for a window, so %g s are simulated and pictured "
                "in %s\n",
                HEADLESS_SECONDS, picture);
        return view_without_window(scene, picture);
    }
    ViewerOptions viewer = {.scene = *scene,
                            .shader_directory = options->shaders,
                            .text_scale = options->text_size / 100.0,
                            .light = options->light,
                            .paused = options->paused,
                            .width = options->width,
                            .height = options->height};
    Error error;
    return viewer_run(&viewer, &error) == STATUS_OK ? EXIT_DONE : report_error(&error);
}
#else
static int view(const Scene *scene, const Options *options)
{
    (void)options; // all of them concern the window
    fprintf(stderr, "selvage: this build has no window, so %g s are simulated without one\n",
            HEADLESS_SECONDS);
    return view_without_window(scene, NULL);
}
#endif

int command_view(const Options *options)
{
    Scene scene;
    Error error;
    if (options_load_scene(options, &scene, &error) != STATUS_OK) return report_error(&error);
    return view(&scene, options);
}
