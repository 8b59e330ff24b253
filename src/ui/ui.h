// The panels around the cloth. They show a snapshot and send commands; they never touch the
// simulation. A new value appears once the simulation has published a state that used it.
//
// Render thread only. No OpenGL here: everything is drawn through Dear ImGui's draw lists.
#ifndef UI_UI_H
#define UI_UI_H

#include "lesson/lesson_file.h"
#include "render/renderer.h"
#include "runtime/recent.h"
#include "runtime/scene_file.h"
#include "runtime/sim_thread.h"
#include "simulation/snapshot.h"
#include "stability/region.h"
#include "stage/timeline.h"
#include "ui/colour_view.h"
#include "ui/history.h"
#include "ui/layout.h"
#include "ui/mode_view.h"
#include "ui/saving.h"
#include "ui/theme.h"
#include "ui/video_view.h"
#include "ui/wind_arrow.h"

enum { UI_NO_PARAM = -1, UI_NO_MODE = -100 };

// The stable part of the plane (X, Y), kept between frames: it depends on the method only.
enum { REGION_COLUMNS = 72, REGION_ROWS = 224, REGION_RUNS = 3 };
typedef struct RegionRow { // at the middle of the row
    int count;
    float from[REGION_RUNS], to[REGION_RUNS]; // X, where it is stable
} RegionRow;
typedef struct RegionCache {
    Scheme scheme;
    double symbol;             // of the filter
    bool endless_x, endless_y; // the region is unbounded
    RegionBox box;             // the part of the plane that was computed
    RegionBoundary boundary;
    RegionRow rows[REGION_ROWS];
} RegionCache;

#define UI_TEXT_SCALE_MAX 3.0f
#define UI_LEU_INTERVAL 0.01 // s, as in the paper: the first value when it is no longer automatic

enum { UI_COVERS = 16 };

typedef enum LaneView {
    LANE_VIEW_ALL,     // side by side
    LANE_VIEW_ONE,     // the selected one
    LANE_VIEW_OVERLAY, // over each other
    LANE_VIEWS,
} LaneView;

// Tells a divergence of a lane from any other.
typedef struct Divergence {
    unsigned serial, topology;
    double time; // s
} Divergence;

// The enlarged plot, ui/plots.h.
enum { PLOT_NONE = -1 };
typedef struct PlotsState {
    int shown;    // index into plot_table, or PLOT_NONE
    int last;     // the one shown last
    bool whole;   // over the whole window, not only over the cloth's view
    bool stacked; // it has its place among ImGui's windows
    bool large;   // the enlarged plot is being drawn
    bool roomy;   // it has room for larger text than the panels have
    bool file_wanted;
    int wanted_file;       // PlotFile
    struct PlotTape *tape; // where to record what is drawn, or NULL
} PlotsState;

typedef enum PictureWish { PICTURE_NONE, PICTURE_OF_WINDOW, PICTURE_OF_VIEW } PictureWish;

// The lesson that is open, ui/lesson_panel.h.
typedef struct LessonState {
    LessonList list;
    Lesson *lesson; // NULL: none
    int stop;
    Rect place;  // of the caption; height 0: none
    float scale; // of its text, 1 or less
    struct {     // as it was before the lesson
        bool controls, readouts;
        SurfaceStyle surface;
        LaneView lane_view;
    } before;
} LessonState;

typedef struct CameraWish { // from where a lesson looks
    bool wanted;
    float yaw, pitch; // rad
    float zoom;       // 1: the cloth fits
    bool has_target;
    float target[3]; // m
} CameraWish;

typedef struct Ui {
    // The user's choices for the window; the simulation does not know them.
    bool light;
    float text_scale; // 1 to UI_TEXT_SCALE_MAX
    LayoutWish wish;
    bool show_keys;
    SurfaceStyle surface;
    FabricName fabric;
    LaneView lane_view;
    ColourView colours;                       // on the cloths
    WindArrow wind;                           // in the pictures
    bool whole_autopsy;                       // of a lane, not only its first sentence
    Divergence closed[SCENE_LANES_MAX], seen; // whose reports were closed; that was shown last

    // Used to draw a frame.
    Palette palette;
    Fonts fonts;
    float em; // height of text, window units
    Layout layout;
    LaneLayout lanes[SCENE_LANES_MAX]; // a hidden one has width 0
    const StageSnapshot *stage;
    const Snapshot *now; // the selected lane's
    const LabResult *lab;
    int shown_mode; // of the lab's, to see on the cloth; UI_NO_MODE if none
    ModeSwing swing;
    int triangles[SCENE_LANES_MAX],
        torn[SCENE_LANES_MAX]; // of lanes; stretched too far to be drawn
    SimThread *sim;
    SceneList scenes;
    RecentFiles *recent;      // NULL: none are kept
    bool recent_failed;       // the list could not be stored, which was told
    char want_open[PATH_MAX]; // a file to open; the viewer does it
    VideoView video;
    double plot_seconds; // s, of time that plots show; INFINITY: all of it; 0: not chosen
    RegionCache region;
    PlotsState plots;
    struct MotionPlots *motion;    // NULL without memory
    struct SpectrumPlot *spectrum; // NULL without memory
    struct MapPlot *map;           // NULL without memory
    // What lies over the cloth's view since the last frame: a click there is not for the cloth.
    Rect covers[UI_COVERS];
    int cover_count;
    float frame_rate;
    CameraWish want_camera; // by a lesson; the viewer does it
    LessonState lesson;
    RenderDetail detail;   // in the last frame: less when frames take too long
    bool hides_trails;     // of small scenes
    bool want_frame_cloth; // requested by a key or button; the viewer does it
    bool bar_has_scene, bar_has_lessons, bar_has_speed; // else the controls have them

    // A value being dragged or typed: shown as wanted, not as it was a frame ago.
    int held_param; // index into param_table, UI_NO_PARAM if none
    double held_value;
    int typed_param;
    bool typing_started;
    bool typing_entered; // Enter was pressed; see imgui_misses_quick_keys
    char typed[48];
    char early[48];                      // typed before the field was active
    char typed_unit[16];                 // of a number without a unit
    double drag_at, drag_offset;         // of a slider's length: the mouse, and the knob from there
    int jumped_param;                    // set by a double click: the slider ignores the rest of it
    int waiting_param;                   // clicked where it is unstable,
    double waiting_until;                // clock_seconds(), for a second click
    int pointed_param;                   // whose slider the mouse is over, in the last frame
    int pointed_now;                     // in this one, so far
    int stepped_param;                   // by keys
    double stepped_value, stepped_until; // clock_seconds()
    // counts drags and runs of keys: what one of them does to a parameter is one change
    unsigned gesture;
    bool in_gesture;
    unsigned action; // counts frames and keys

    History history;   // of parameters, to undo
    Saving saving;     // the question whether to overwrite a file
    bool list_is_open; // of widget_begin_list, in the last frame
    bool lists_drawn;  // in this one, so far
    bool close_list;   // wanted by Escape
    bool want_quit;    // requested by a key; the viewer does it
    bool want_full_screen;
    PictureWish want_picture; // the viewer takes it
    int picture_scale;        // of the view: 1, 2 or 4 times its size on the screen

    double sought_time;   // s, where the timeline was last dragged to
    double diverged_time; // s, of the divergence last replayed,
    double diverged_lead; // s, and how long before it its growth began

    // One message to the user, shown for a few seconds.
    char message[sizeof((Error *)0)->text];
    double message_until; // clock_seconds()
    unsigned notice_seen;
    char shader_message[sizeof((Error *)0)->text]; // stays until the shader compiles again,
    char shader_closed[sizeof((Error *)0)->text];  // unless this one was closed
} Ui;

void ui_init(Ui *ui, SimThread *sim);
void ui_finish(Ui *ui);
// Show another simulation from now on. What was held or shown of the old one is forgotten.
void ui_attach(Ui *ui, SimThread *sim);

// `count` text heights in whole window units: versions of Dear ImGui round fractions differently.
float ui_ems(const Ui *ui, float count);

// Place the panels and the lanes in a window of that size, window units.
void ui_place(Ui *ui, float width, float height);
bool ui_has_lanes(const Ui *ui); // two or more
// Divide a view among all lanes, as they are looked at now.
void ui_place_lanes(const Ui *ui, Rect view, LaneLayout *out);
// The lane's picture without what drawers and tabs hide: for what is written on it.
Rect ui_picture(const Ui *ui, int lane);
// The lane whose picture is at a place, -1 if none.
int ui_lane_at(const Ui *ui, float x, float y);
void ui_select_lane(Ui *ui, int lane);

// The ImGui window being drawn lies over the cloth's view.
void ui_cover_view(Ui *ui);
bool ui_covers(const Ui *ui, float x, float y); // window units

// Draw everything for this frame, over the picture of the cloth. What is neither has to have the
// palette's colour of panels.
void ui_draw(Ui *ui);

// Panels: close one that is shown, open one that is not.
void ui_toggle_controls(Ui *ui);
void ui_toggle_readouts(Ui *ui);
void ui_toggle_panels(Ui *ui); // all
bool ui_close_drawers(Ui *ui); // false if none was open

// A key of the list that F1 shows. True if it had an effect.
enum { UI_CONTROL = 1, UI_SHIFT = 2 };
bool ui_key(Ui *ui, int glfw_key, int modifiers);
// Close what is open and was opened last: a list, a field, a card. True if there was something.
bool ui_escape(Ui *ui);
bool ui_is_typing(const Ui *ui);   // keys are for a text field
bool ui_wants_frame(const Ui *ui); // also while nothing moves

// The lab's newest result if it belongs to this cloth, else NULL.
const Analysis *ui_analysis(const Ui *ui);
// The mode to see on the cloth, 3 per particle; NULL if none is chosen or the lab has none now.
const float *ui_shown_shape(const Ui *ui);

// Show the user a message for a few seconds.
void ui_say(Ui *ui, const char *text);

// Send a command to the simulation. Shows a message and returns false when the queue is full.
bool ui_send(Ui *ui, Command command);
// The number of the selected lane for a command to it alone; of all if there is only one.
int ui_only_lane(const Ui *ui);
// Set a parameter of the selected lane if it is its own, otherwise of all lanes that share it. A
// method that is chosen becomes the lane's own.
void ui_set_param(Ui *ui, const ParamInfo *info, double value);
// Give the selected lane its own value of a parameter, or let it share that of the others.
void ui_own_param(Ui *ui, const ParamInfo *info, bool own);
void ui_seek(Ui *ui, SeekKind kind, double time); // show a moment of the past; pauses
// By its name or path. Fails, and changes nothing, if the file is not a scene.
Status ui_load_scene(Ui *ui, const char *name, Error *error);
// Open a scene, mesh, recording or lesson by its path, after this frame.
void ui_open_file(Ui *ui, const char *path);
// Write the scene with its present parameters to NAME-edited.ini in the working directory. If there
// is such a file, ask first.
void ui_save_scene(Ui *ui);
// Take back the last change of a parameter, or going on from the past; and make it again.
void ui_undo(Ui *ui);
void ui_redo(Ui *ui);

#endif
