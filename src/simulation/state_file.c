// The state of every particle as CSV: p,mass,pinned,x,y,z,vx,vy,vz in kg, m and m/s, with enough
// digits that a state read back is the same to the last bit.
#include "simulation/simulation_state.h"

#include "base/file.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char HEADER[] = "p,mass,pinned,x,y,z,vx,vy,vz";

enum { COLUMN_P, COLUMN_MASS, COLUMN_PINNED, COLUMN_X, COLUMN_V = 6, COLUMNS = 9 };

// Nine numbers of at most 25 characters fit 256 a line; 65536 particles fit this twice over.
#define LARGEST_FILE (32u << 20)
// Beyond these a step only overflows; masses of the finest, lightest cloth are 1e-9 kg.
#define LARGEST_NUMBER 1e6
#define SMALLEST_MASS 1e-12

void simulation_print_state(const Simulation *simulation, FILE *file)
{
    const Cloth *cloth = &simulation->body.cloth;
    fprintf(file, "%s\n", HEADER);
    for (int p = 0; p < cloth->mesh.particle_count; p++) {
        Vec3 x = mesh_vector(&cloth->mesh, cloth->x, p);
        Vec3 v = mesh_vector(&cloth->mesh, cloth->v, p);
        fprintf(file, "%d,%.17g,%d,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g\n", p, cloth_mass(cloth, p),
                cloth->pinned[p], x.x, x.y, x.z, v.x, v.y, v.z);
    }
}

Status simulation_write_state(const Simulation *simulation, const char *path, Error *error)
{
    FILE *file = fopen(path, "w");
    if (!file) {
        return error_set(error, STATUS_FILE, "%s cannot be written: %s", path, strerror(errno));
    }
    simulation_print_state(simulation, file);
    bool failed = ferror(file) != 0;
    if (fclose(file) != 0 || failed) {
        return error_set(error, STATUS_FILE, "%s cannot be written: %s", path, strerror(errno));
    }
    return STATUS_OK;
}

// Where in which file, for the sentences.
typedef struct Place {
    const char *path;
    int line;
} Place;

static Status parse_row(Place place, char *line, double row[COLUMNS], Error *error)
{
    char *at = line;
    for (int c = 0; c < COLUMNS; c++) {
        char *end;
        row[c] = strtod(at, &end);
        char expected = c + 1 < COLUMNS ? ',' : '\0';
        if (end == at || *end != expected) {
            return error_set(error, STATUS_FILE,
                             "%s, line %d: column %d is not right; a row has %d numbers: %s",
                             place.path, place.line, c + 1, COLUMNS, HEADER);
        }
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

static Status parse_rows(Place place, char *text, int count, double (*rows)[COLUMNS], Error *error)
{
    const char *path = place.path;
    char *line = next_line(&text);
    place.line++;
    if (!line || strcmp(line, HEADER) != 0) {
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
        Status status = parse_row(place, line, rows[particle], error);
        if (status == STATUS_OK) status = check_row(place, rows[particle], particle, error);
        if (status != STATUS_OK) return status;
        particle++;
    }
    if (particle < count) {
        return error_set(error, STATUS_FILE, "%s has %d rows, this cloth has %d particles", path,
                         particle, count);
    }
    return STATUS_OK;
}

static void take_rows(Simulation *simulation, double (*rows)[COLUMNS])
{
    Cloth *cloth = &simulation->body.cloth;
    cloth_set_grabbed(cloth, -1);
    for (int p = 0; p < cloth->mesh.particle_count; p++) {
        const double *x = rows[p] + COLUMN_X, *v = rows[p] + COLUMN_V;
        bool pinned = rows[p][COLUMN_PINNED] != 0.0;
        mesh_set_vector(&cloth->mesh, cloth->x, p, (Vec3){x[0], x[1], x[2]});
        // a pin does not move, whatever was written while a hand held it
        Vec3 velocity = pinned ? (Vec3){0} : (Vec3){v[0], v[1], v[2]};
        mesh_set_vector(&cloth->mesh, cloth->v, p, velocity);
        cloth_set_mass(cloth, p, rows[p][COLUMN_MASS]);
        cloth_set_pinned(cloth, p, pinned);
    }
    simulation_restart_clock(simulation);
}

Status simulation_read_state_text(Simulation *simulation, const char *path, int lines_before,
                                  const char *text, size_t size, Error *error)
{
    int count = simulation->body.cloth.mesh.particle_count;
    char *copy = malloc(size + 1); // it is cut into lines
    double(*rows)[COLUMNS] = calloc((size_t)count, sizeof *rows);
    Status status;
    if (!copy || !rows) {
        status = error_set(error, STATUS_OUT_OF_MEMORY, "%s does not fit into memory", path);
    } else if (memchr(text, '\0', size)) {
        status = error_set(error, STATUS_FILE, "%s is not a text file", path);
    } else {
        memcpy(copy, text, size);
        copy[size] = '\0';
        status = parse_rows((Place){path, lines_before}, copy, count, rows, error);
    }
    if (status == STATUS_OK) take_rows(simulation, rows);
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
