#include "lesson/lesson_check.h"

#include "base/hash.h"
#include "lesson/lesson_play.h"
#include "stage/session.h"

#include <math.h>
#include <stdlib.h>

#define ENDLESS_SECONDS 1.0 // for a step that runs on and on
enum { NO_PAST = 0 };

// A session that obeys as the simulation thread does, without a pace.
typedef struct Player {
    Session *session;
    double stride; // s; 0: as far as wanted at once
    Status status;
    Error *error;
} Player;

static void advance(Player *player, double until)
{
    Session *session = player->session;
    while (!session_has_reached(session, until)) {
        double next = until;
        if (player->stride > 0.0) next = fmin(until, session_time(session) + player->stride);
        Status status = session_advance(session, next, INFINITY, player->error);
        if (status == STATUS_DIVERGED) return; // which a lesson may want
        if (status != STATUS_OK) {
            player->status = status;
            return;
        }
    }
}

static bool obey(void *user, const Command *command)
{
    Player *player = user;
    switch (command->kind) {
    case COMMAND_PAUSE:
        break;
    case COMMAND_LOAD_SCENE:
        player->status = player->session ? session_apply(player->session, command, player->error)
                                         : session_create(command->scene, NO_PAST, &player->session,
                                                          player->error);
        break;
    case COMMAND_RUN:
    case COMMAND_JUMP:
        advance(player, command->until > 0.0 ? command->until : ENDLESS_SECONDS);
        break;
    default:
        player->status = session_apply(player->session, command, player->error);
    }
    return player->status == STATUS_OK;
}

static Status play(Player *player, const Lesson *lesson, int stop)
{
    player->status = STATUS_OK;
    lesson_send(lesson, stop, obey, player);
    return player->status;
}

static Status check_step(const LessonStep *step, const StageSnapshot *stage, Error *broken)
{
    for (int i = 0; i < step->promise_count; i++) {
        Error error;
        if (promise_check(&step->promises[i], stage, &error) == STATUS_OK) continue;
        return error_set(broken, STATUS_BAD_PARAMETER, "line %d: %.400s", step->promises[i].line,
                         error.text);
    }
    return STATUS_OK;
}

Status lesson_check(const Lesson *lesson, LessonReport report, void *user, Error *error)
{
    Player player = {.error = error};
    StageSnapshot *stage = calloc(1, sizeof *stage);
    Status status =
        stage ? STATUS_OK : error_set(error, STATUS_OUT_OF_MEMORY, "out of memory for a lesson");
    Error first = {0};
    for (int stop = 0; status == STATUS_OK && stop < lesson_stop_count(lesson); stop++) {
        LessonStop at = lesson_stop(lesson, stop);
        if (at.asks) continue;
        status = play(&player, lesson, stop);
        if (status == STATUS_OK) status = session_fill_snapshot(player.session, stage, error);
        if (status != STATUS_OK) break;
        Error broken;
        bool kept = check_step(&lesson->steps[at.step], stage, &broken) == STATUS_OK;
        if (report) report(user, at.step, stage, kept ? NULL : broken.text);
        if (!kept && first.status == STATUS_OK) first = broken;
    }
    if (stage) stage_snapshot_finish(stage);
    free(stage);
    session_destroy(player.session);
    if (status != STATUS_OK || first.status == STATUS_OK) return status;
    return error_set(error, first.status, "%s.ini, %.450s", lesson->name, first.text);
}

// What can be seen of a lane.
static uint64_t hash_lane(const Snapshot *lane)
{
    const Readings *r = &lane->readings;
    double numbers[] = {r->time, r->step, energy_total(r->energy), r->balance.remainder};
    uint64_t hash = hash_bytes(HASH_START, numbers, sizeof numbers);
    return hash_bytes(hash, lane->position,
                      3 * (size_t)lane->particle_count * sizeof *lane->position);
}

Status lesson_hash(const Lesson *lesson, int step, double stride, uint64_t *out, Error *error)
{
    Player player = {.stride = stride, .error = error};
    StageSnapshot *stage = calloc(1, sizeof *stage);
    Status status =
        stage ? STATUS_OK : error_set(error, STATUS_OUT_OF_MEMORY, "out of memory for a lesson");
    *out = 0;
    for (int stop = 0; status == STATUS_OK && stop < lesson_stop_count(lesson); stop++) {
        LessonStop at = lesson_stop(lesson, stop);
        if (at.step > step) break;
        if (at.step == step ? !at.asks : stride > 0.0) status = play(&player, lesson, stop);
    }
    if (status == STATUS_OK) status = session_fill_snapshot(player.session, stage, error);
    for (int i = 0; status == STATUS_OK && i < stage->count; i++)
        *out = *out * 31u + hash_lane(&stage->lanes[i]);
    if (stage) stage_snapshot_finish(stage);
    free(stage);
    session_destroy(player.session);
    return status;
}
