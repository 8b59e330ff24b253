// The state of every particle as CSV: p,mass,pinned,x,y,z,vx,vy,vz in kg, m and m/s, with enough
// digits to restore every bit. Columns s1, s2, ... follow. Read row by row, they hold the rest of
// the state as numbers:
//   their count, the state's hash in two halves, the numbers of state_fields.h, and for each
//   array in use its index, its length and its values; the rest is 0.
// With the same scene and parameters the hash agrees, and the run continues as if it had not
// stopped. Otherwise, and without those columns, it starts from these particles at time 0.
#include "simulation/state.h"
#include "simulation/state_fields.h"

#include "base/file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char HEADER[] = "p,mass,pinned,x,y,z,vx,vy,vz";

enum { COLUMN_P, COLUMN_MASS, COLUMN_PINNED, COLUMN_X, COLUMN_V = 6, COLUMNS = 9 };

// Numbers have at most 25 characters; 65536 particles with all arrays fit this twice over.
#define LARGEST_FILE (256u << 20)
// Larger values only overflow; masses of the finest, lightest cloth are 1e-9 kg.
#define LARGEST_NUMBER 1e6
#define SMALLEST_MASS 1e-12

// An array of numbers that grows while it is written.
typedef struct Numbers {
    double *values;
    size_t count, room;
    size_t next; // next number to read
    bool failed; // no memory, or read past the end
} Numbers;

static void append(Numbers *numbers, double value)
{
    if (numbers->count == numbers->room) {
        size_t room = numbers->room ? 2 * numbers->room : 1024;
        double *larger = realloc(numbers->values, room * sizeof *larger);
        numbers->failed = numbers->failed || !larger;
        if (!larger) return;
        numbers->values = larger;
        numbers->room = room;
    }
    numbers->values[numbers->count++] = value;
}

static double take(Numbers *numbers)
{
    if (numbers->next < numbers->count) return numbers->values[numbers->next++];
    numbers->failed = true;
    return 0.0;
}

static void append_field(void *numbers, const char *name, double *value)
{
    (void)name;
    append(numbers, *value);
}

static void take_field(void *numbers, const char *name, double *value)
{
    (void)name;
    *value = take(numbers);
}

// The rest of the state, without the arrays that are all 0.
static Numbers collect(const Simulation *simulation)
{
    Numbers numbers = {0};
    StateValues values = simulation->now;
    int grabbed = simulation->body.cloth.grabbed;
    double *arrays[STATE_ARRAYS];
    size_t sizes[STATE_ARRAYS];
    uint64_t hash = simulation_hash(simulation);
    simulation_arrays(simulation, arrays, sizes);
    append(&numbers, 0.0); // their count, set below
    append(&numbers, (double)(hash >> 32));
    append(&numbers, (double)(hash & 0xffffffffu));
    state_fields_visit(&values, &grabbed, (FieldVisitor){append_field, &numbers});
    for (int i = STATE_MEMORY; i < STATE_ARRAYS; i++) { // earlier ones are other columns
        size_t length = state_array_counts(&simulation->now, i) ? sizes[i] : 0;
        const double *array = arrays[i];
        while (length > 0 && array[length - 1] == 0.0 && !signbit(array[length - 1])) length--;
        if (length == 0) continue;
        append(&numbers, i);
        append(&numbers, (double)length);
        for (size_t k = 0; k < length; k++) append(&numbers, array[k]);
    }
    if (!numbers.failed) numbers.values[0] = (double)numbers.count;
    return numbers;
}

Status simulation_print_state(const Simulation *simulation, FILE *file, Error *error)
{
    const Cloth *cloth = &simulation->body.cloth;
    size_t particles = (size_t)cloth->mesh.particle_count;
    Numbers numbers = collect(simulation);
    if (numbers.failed) {
        free(numbers.values);
        return error_set(error, STATUS_OUT_OF_MEMORY,
                         "not enough memory for a state of %zu numbers", numbers.count);
    }
    size_t columns = (numbers.count + particles - 1) / particles;
    fputs(HEADER, file);
    for (size_t c = 1; c <= columns; c++) fprintf(file, ",s%zu", c);
    fputc('\n', file);
    for (int p = 0; p < cloth->mesh.particle_count; p++) {
        Vec3 x = mesh_vector(&cloth->mesh, cloth->x, p);
        Vec3 v = mesh_vector(&cloth->mesh, cloth->v, p);
        fprintf(file, "%d,%.17g,%d,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g", p, cloth_mass(cloth, p),
                cloth->pinned[p], x.x, x.y, x.z, v.x, v.y, v.z);
        for (size_t c = 0; c < columns; c++) fprintf(file, ",%.17g", take(&numbers));
        fputc('\n', file);
    }
    free(numbers.values);
    return STATUS_OK;
}

// File and line, for error messages.
typedef struct Place {
    const char *path;
    int line;
} Place;

// Append the `extra` columns after the named ones to `rest`.
static Status parse_row(Place place, char *line, int extra, double row[COLUMNS], Numbers *rest,
                        Error *error)
{
    char *at = line;
    for (int c = 0; c < COLUMNS + extra; c++) {
        char *end;
        double value = strtod(at, &end);
        char expected = c + 1 < COLUMNS + extra ? ',' : '\0';
        if (end == at || *end != expected) {
            return error_set(error, STATUS_FILE,
                             "%s, line %d: column %d is not right; a row has %d numbers: %s%s",
                             place.path, place.line, c + 1, COLUMNS + extra, HEADER,
                             extra > 0 ? ",s1,..." : "");
        }
        if (c < COLUMNS)
            row[c] = value;
        else
            append(rest, value);
        at = end + 1;
    }
    return STATUS_OK;
}

static Status check_row(Place place, const double row[COLUMNS], int particle, Error *error)
{
    if (row[COLUMN_P] != particle) {
        return error_set(error, STATUS_FILE, "%s, line %d: particle %g where %d is expected",
                         place.path, place.line, row[COLUMN_P], particle);
    }
    if (!(row[COLUMN_MASS] >= SMALLEST_MASS && row[COLUMN_MASS] <= LARGEST_NUMBER)) {
        return error_set(error, STATUS_FILE, "%s, line %d: mass is %g, allowed is %g to %g kg",
                         place.path, place.line, row[COLUMN_MASS], SMALLEST_MASS, LARGEST_NUMBER);
    }
    if (row[COLUMN_PINNED] != 0.0 && row[COLUMN_PINNED] != 1.0) {
        return error_set(error, STATUS_FILE, "%s, line %d: pinned is %g, allowed is 0 or 1",
                         place.path, place.line, row[COLUMN_PINNED]);
    }
    for (int c = COLUMN_X; c < COLUMNS; c++) {
        if (!(fabs(row[c]) <= LARGEST_NUMBER)) {
            return error_set(error, STATUS_FILE, "%s, line %d: %g in column %d is outside +-%g",
                             place.path, place.line, row[c], c + 1, LARGEST_NUMBER);
        }
    }
    return STATUS_OK;
}

// Cut the next line off *text, without its line end; NULL after the last.
static char *next_line(char **text)
{
    char *line = *text;
    if (*line == '\0') return NULL;
    size_t length = strcspn(line, "\n");
    *text = line + length + (line[length] == '\n');
    if (length > 0 && line[length - 1] == '\r') length--;
    line[length] = '\0';
    return line;
}

// How many columns s1, s2, ... a header has; -1 when the line is not a header.
static int extra_columns(const char *line)
{
    size_t length = sizeof HEADER - 1;
    int count = 0;
    if (strncmp(line, HEADER, length) != 0) return -1;
    for (const char *at = line + length; *at != '\0'; count++) {
        char *end;
        if (strncmp(at, ",s", 2) != 0 || strtol(at + 2, &end, 10) != count + 1) return -1;
        at = end;
    }
    return count;
}

static Status parse_rows(Place place, char *text, int count, double (*rows)[COLUMNS], Numbers *rest,
                         Error *error)
{
    const char *path = place.path;
    char *line = next_line(&text);
    int extra = line ? extra_columns(line) : -1;
    place.line++;
    if (extra < 0) {
        return error_set(error, STATUS_FILE, "%s, line %d: the first line must be %s", path,
                         place.line, HEADER);
    }
    int particle = 0;
    while ((line = next_line(&text))) {
        place.line++;
        if (particle == count) {
            return error_set(error, STATUS_FILE,
                             "%s, line %d: more rows than this cloth has particles (%d)", path,
                             place.line, count);
        }
        Status status = parse_row(place, line, extra, rows[particle], rest, error);
        if (status == STATUS_OK) status = check_row(place, rows[particle], particle, error);
        if (status != STATUS_OK) return status;
        particle++;
    }
    if (particle < count) {
        return error_set(error, STATUS_FILE, "%s has %d rows, this cloth has %d particles", path,
                         particle, count);
    }
    if (rest->failed)
        return error_set(error, STATUS_OUT_OF_MEMORY, "%s does not fit into memory", path);
    return STATUS_OK;
}

static void take_array(Numbers *rest, double *const arrays[STATE_ARRAYS],
                       const size_t sizes[STATE_ARRAYS])
{
    double index = take(rest), length = take(rest);
    bool known = index >= STATE_MEMORY && index < STATE_ARRAYS && length >= 0.0 &&
                 length <= (double)sizes[(int)index];
    rest->failed = rest->failed || !known;
    for (size_t i = 0; known && i < (size_t)length; i++) arrays[(int)index][i] = take(rest);
}

// Continue from the rest of the columns. False when they do not belong to this scene and these
// rows; the simulation is then unusable.
static bool take_rest(Simulation *simulation, Numbers *rest)
{
    double *arrays[STATE_ARRAYS];
    size_t sizes[STATE_ARRAYS];
    simulation_arrays(simulation, arrays, sizes);
    for (int i = STATE_MEMORY; i < STATE_ARRAYS; i++)
        memset(arrays[i], 0, sizes[i] * sizeof(double));
    double count = take(rest), high = take(rest), low = take(rest);
    if (!(count >= 0.0 && count <= (double)rest->count && high >= 0.0 && high < 4294967296.0 &&
          low >= 0.0 && low < 4294967296.0)) {
        return false;
    }
    rest->count = (size_t)count;
    StateValues values = simulation->now;
    int grabbed = -1;
    state_fields_visit(&values, &grabbed, (FieldVisitor){take_field, rest});
    while (!rest->failed && rest->next < rest->count) take_array(rest, arrays, sizes);
    // a divergence depends on states that are not in the file, so it is not continued
    if (rest->failed || values.diverged || grabbed >= simulation->body.cloth.mesh.particle_count)
        return false;
    cloth_set_grabbed(&simulation->body.cloth, grabbed < 0 ? -1 : grabbed);
    simulation_continue(simulation, &values);
    return simulation_hash(simulation) == ((uint64_t)high << 32 | (uint64_t)low);
}

static void take_rows(Simulation *simulation, double (*rows)[COLUMNS])
{
    Cloth *cloth = &simulation->body.cloth;
    cloth_set_grabbed(cloth, -1);
    for (int p = 0; p < cloth->mesh.particle_count; p++) {
        const double *x = rows[p] + COLUMN_X, *v = rows[p] + COLUMN_V;
        bool pinned = rows[p][COLUMN_PINNED] != 0.0;
        mesh_set_vector(&cloth->mesh, cloth->x, p, (Vec3){x[0], x[1], x[2]});
        // a pin does not move, even if the file has the hand's velocity
        Vec3 velocity = pinned ? (Vec3){0} : (Vec3){v[0], v[1], v[2]};
        mesh_set_vector(&cloth->mesh, cloth->v, p, velocity);
        cloth_set_mass(cloth, p, rows[p][COLUMN_MASS]);
        cloth_set_pinned(cloth, p, pinned);
    }
    simulation_restart_clock(simulation);
}

// Take the rows, and the rest if it belongs to them.
static Status take_all(Simulation *simulation, double (*rows)[COLUMNS], Numbers *rest, Error *error)
{
    take_rows(simulation, rows);
    if (rest->count == 0) return STATUS_OK;
    State *started;
    Status status = state_create(&started, error);
    if (status == STATUS_OK) status = state_save(simulation, started, error);
    if (status == STATUS_OK && !take_rest(simulation, rest))
        status = state_restore(started, simulation, error);
    state_destroy(started);
    return status;
}

Status simulation_read_state_text(Simulation *simulation, const char *path, int lines_before,
                                  const char *text, size_t size, Error *error)
{
    int count = simulation->body.cloth.mesh.particle_count;
    char *copy = malloc(size + 1); // is cut into lines
    double(*rows)[COLUMNS] = calloc((size_t)count, sizeof *rows);
    Numbers rest = {0};
    State *before = NULL;
    Status status;
    if (!copy || !rows) {
        status = error_set(error, STATUS_OUT_OF_MEMORY, "%s does not fit into memory", path);
    } else if (memchr(text, '\0', size)) {
        status = error_set(error, STATUS_FILE, "%s is not a text file", path);
    } else {
        memcpy(copy, text, size);
        copy[size] = '\0';
        status = parse_rows((Place){path, lines_before}, copy, count, rows, &rest, error);
    }
    if (status == STATUS_OK) status = state_create(&before, error);
    if (status == STATUS_OK) status = state_save(simulation, before, error);
    if (status == STATUS_OK) {
        status = take_all(simulation, rows, &rest, error);
        if (status != STATUS_OK) state_restore(before, simulation, NULL);
    }
    state_destroy(before);
    free(rest.values);
    free(rows);
    free(copy);
    return status;
}

Status simulation_read_state(Simulation *simulation, const char *path, Error *error)
{
    FileText text;
    Status status = file_read(path, LARGEST_FILE, &text, error);
    if (status != STATUS_OK) return status;
    status = simulation_read_state_text(simulation, path, 0, text.data, text.size, error);
    file_text_finish(&text);
    return status;
}
