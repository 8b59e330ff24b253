// Muscles: rest lengths over time, their work, and the fish that swims by them.
#include "support/solver_test.h"

#include "cloth/forces.h"
#include "lab/analysis.h"
#include "runtime/scene_file.h"
#include "runtime/scene_parse.h"
#include "simulation/simulation_state.h"
#include "simulation/state.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(list) ((int)(sizeof(list) / sizeof(list)[0]))

static Scene parse(const char *text)
{
    Scene scene = {.name = "test"};
    Error error = {0};
    if (scene_parse("test.ini", text, strlen(text), &scene, &error) != STATUS_OK)
        fail_msg("%s", error.text);
    return scene;
}

// A strip of a cloth whose one edge pulls: the list of springs on a grid.
static Scene strip_with(const char *assignments)
{
    Scene scene = parse("[scene]\npins = top-left bottom-left\n"
                        "[cloth]\nrows = 3\ncolumns = 5\n"
                        "[muscle]\nsprings = 1-2 2-3\namplitude = 0.2\nperiod = 0.7\nstart = 0.3\n"
                        "[muscle]\nsprings = 11-12 12-13\namplitude = -0.3\nperiod = 1.1\n"
                        "phase = 40\nstart = 0.5\n");
    scene_assign(&scene, assignments);
    return scene;
}

static Scene fish_with(const char *assignments)
{
    Scene scene;
    Error error = {0};
    if (scene_load("fish", &scene, &error) != STATUS_OK) fail_msg("%s", error.text);
    scene_assign(&scene, assignments);
    return scene;
}

static Simulation *start(Scene scene)
{
    Simulation *simulation;
    Error error = {0};
    if (simulation_create(&scene, &simulation, &error) != STATUS_OK) fail_msg("%s", error.text);
    return simulation;
}

static void run_for(Simulation *simulation, double seconds)
{
    Error error = {0};
    while (simulation->now.time < seconds) {
        if (simulation_step(simulation, &error) != STATUS_OK) fail_msg("%s", error.text);
    }
}

static Vec3 centre_of(const Simulation *simulation)
{
    const Cloth *cloth = &simulation->body.cloth;
    Vec3 sum = {0};
    double mass = 0.0;
    for (int p = 0; p < cloth->mesh.particle_count; p++) {
        sum = vec3_add_scaled(sum, cloth_mass(cloth, p), mesh_vector(&cloth->mesh, cloth->x, p));
        mass += cloth_mass(cloth, p);
    }
    return vec3_scale(1.0 / mass, sum);
}

static void disturb(Cloth *cloth, uint32_t seed)
{
    for (int p = 0; p < cloth->mesh.particle_count; p++) {
        double reach = 0.2 * cloth->mesh.spacing;
        Vec3 by = {reach * noise(&seed), reach * noise(&seed), reach * noise(&seed)};
        mesh_set_vector(&cloth->mesh, cloth->x, p,
                        vec3_add(mesh_vector(&cloth->mesh, cloth->x, p), by));
    }
}

// Each rest length follows its law, its rate is its derivative, and it starts smoothly.
static void lengths_follow_their_law(void **state)
{
    (void)state;
    Simulation *simulation = start(strip_with("muscle_amplitude=1.5 muscle_period=2"));
    Cloth *cloth = &simulation->body.cloth;
    assert_int_equal(cloth->muscle_count, 4);
    for (int i = 0; i < cloth->muscle_count; i++) {
        const MuscleSpring *m = &cloth->muscles[i];
        double L0 = cloth->mesh.rest_length[m->spring], dt = 1e-6;
        for (double t = 0.0; t < 3.0; t += 0.011) {
            muscles_at(cloth, t + dt);
            double after = cloth->rest_length[m->spring];
            muscles_at(cloth, t - dt);
            double before = cloth->rest_length[m->spring];
            muscles_at(cloth, t);
            assert_near(m->rate, (after - before) / (2.0 * dt), 1e-8);
            if (t < m->start) continue;
            double angle = 2.0 * M_PI * t / (2.0 * m->period) + m->phase;
            assert_near(cloth->rest_length[m->spring], L0 * (1.0 + 1.5 * m->amplitude * sin(angle)),
                        1e-15);
        }
        muscles_at(cloth, 0.0);
        assert_true(cloth->rest_length[m->spring] == L0 && m->rate == 0.0);
    }
    simulation_destroy(simulation);
}

// At a fixed time the force is minus the gradient of the energy, with the present lengths; at a
// fixed shape the power is the change of the energy in time.
static void force_and_work_come_from_one_energy(void **state)
{
    (void)state;
    for (int kind = 0; kind < 2; kind++) {
        Simulation *simulation = start(kind ? fish_with("") : strip_with("gravity=0 air=0"));
        Cloth *cloth = &simulation->body.cloth;
        const Mesh *mesh = &cloth->mesh;
        double *f = mesh_flat_create(mesh), *v = mesh_flat_create(mesh);
        disturb(cloth, 5u);
        for (double t = 0.1; t < 2.0; t += 0.37) {
            muscles_at(cloth, t);
            cloth_forces(cloth, cloth->x, v, f);
            for (int p = 0; p < mesh->particle_count; p++) {
                double *y = &cloth->x[mesh->first_dof[p] + mesh->component_stride], d = 1e-6;
                double at = *y, higher, lower;
                *y = at + d;
                higher = cloth_elastic_energy(cloth, cloth->x);
                *y = at - d;
                lower = cloth_elastic_energy(cloth, cloth->x);
                *y = at;
                assert_near(mesh_vector(mesh, f, p).y, (lower - higher) / (2.0 * d), 1e-6);
            }
            double dt = 1e-5, power = muscles_power(cloth, cloth->x);
            muscles_at(cloth, t + dt);
            double after = cloth_elastic_energy(cloth, cloth->x);
            muscles_at(cloth, t - dt);
            double before = cloth_elastic_energy(cloth, cloth->x);
            assert_near(power, (after - before) / (2.0 * dt), 1e-6 * (1.0 + fabs(power)));
            assert_true(fabs(power) > 1e-3);
        }
        free(f);
        free(v);
        simulation_destroy(simulation);
    }
}

// K p is the derivative of the force with the present lengths; a change of lengths since the
// linearisation adds to the force what it should, to first order.
static void tangents_use_the_present_lengths(void **state)
{
    (void)state;
    Simulation *simulation = start(fish_with("alpha=0"));
    Cloth *cloth = &simulation->body.cloth;
    const Mesh *mesh = &cloth->mesh;
    const System *system = &simulation->system;
    int n = mesh->dofs;
    double *p = mesh_flat_create(mesh), *x = mesh_flat_create(mesh), *Kp = mesh_flat_create(mesh);
    double *f[2] = {mesh_flat_create(mesh), mesh_flat_create(mesh)}, *v = mesh_flat_create(mesh);
    uint32_t seed = 9u;
    for (int i = 0; i < mesh->particle_count; i++)
        mesh_set_vector(mesh, p, i, (Vec3){noise(&seed), noise(&seed), noise(&seed)});
    muscles_at(cloth, 1.3);
    system->stiffness_product_at(system->self, cloth->x, TANGENT_FULL, p, Kp);
    for (int side = 0; side < 2; side++) {
        for (int i = 0; i < n; i++) x[i] = cloth->x[i] + (side ? -1e-6 : 1e-6) * p[i];
        cloth_forces(cloth, x, v, f[side]);
    }
    for (int i = 0; i < n; i++) assert_near(Kp[i], (f[1][i] - f[0][i]) / 2e-6, 1e-2);
    system->linearise(system->self, cloth->x, TANGENT_FULL);
    cloth_forces(cloth, cloth->x, v, f[0]);
    muscles_at(cloth, 1.31);
    system->add_change(system->self, f[0]);
    cloth_forces(cloth, cloth->x, v, f[1]);
    for (int i = 0; i < n; i++) assert_near(f[0][i], f[1][i], 1e-9);
    double *all[] = {p, x, Kp, f[0], f[1], v};
    for (int i = 0; i < COUNT(all); i++) free(all[i]);
    simulation_destroy(simulation);
}

// What the muscles give ends as energy or is damped: the remainder vanishes with the step as the
// method's order says, and is small beside what was turned over. Not so under imex, whose matrix
// resists turning: its steps would have to be shorter still.
static void the_balance_closes(void **state)
{
    (void)state;
    for (int m = 0; m < integrator_count; m++) {
        double remainder[2], work = 0.0;
        for (int k = 0; k < 2; k++) {
            char text[160];
            snprintf(text, sizeof text,
                     "integrator=%s step=%g pcg_tolerance=1e-12 newton_tolerance=1e-10 "
                     "leu_interval=auto",
                     integrator_name(m), k ? 1e-4 : 2e-4);
            Simulation *simulation = start(fish_with(text));
            run_for(simulation, 0.6);
            EnergyBalance balance = simulation_readings(simulation).balance;
            remainder[k] = fabs(balance.remainder);
            work = balance.muscle;
            simulation_destroy(simulation);
        }
        assert_true(work > 0.3);
        bool resists_turning = strcmp(integrator_name(m), "imex") == 0;
        double share = resists_turning ? 0.4 : 0.02, least = resists_turning ? 0.5 : 0.8;
        double order = log2(remainder[0] / remainder[1]);
        bool negligible = remainder[1] < 1e-6 * work;
        if (!(remainder[1] < share * work && (negligible || order > least)))
            fail_msg("%s: remainders %g and %g J of %g J, order %g", integrator_name(m),
                     remainder[0], remainder[1], work, order);
    }
}

// A run that is saved and goes on elsewhere has the same bits, also after its tempo has changed;
// and a change of the tempo moves nothing at once.
static void a_saved_run_goes_on_alike(void **state)
{
    (void)state;
    for (int v = 0; v < method_variant_count; v++) {
        char text[200];
        snprintf(text, sizeof text, "integrator=%s", method_variants[v]);
        Scene scene = fish_with(text);
        Simulation *first, *second;
        if (simulation_create(&scene, &first, NULL) != STATUS_OK) continue;
        second = start(scene);
        State *saved;
        assert_int_equal(state_create(&saved, NULL), STATUS_OK);
        run_steps(first, 100);
        int spring = first->body.cloth.muscles[5].spring, index = 0;
        double before = first->body.cloth.rest_length[spring];
        while (strcmp(param_table[index].name, "muscle_period") != 0) index++;
        apply_command(first, (Command){.kind = COMMAND_SET_PARAM, .param = {index, 2.5}});
        assert_near(first->body.cloth.rest_length[spring], before, 1e-14);
        assert_true(first->now.muscle_offset != 0.0);
        run_steps(first, 41);
        assert_int_equal(state_save(first, saved, NULL), STATUS_OK);
        run_steps(first, 41);
        run_steps(second, 3); // somewhere else
        assert_int_equal(state_restore(saved, second, NULL), STATUS_OK);
        run_steps(second, 41);
        if (simulation_hash(first) != simulation_hash(second)) fail_msg("%s: another run", text);
        apply_command(second, (Command){.kind = COMMAND_RESET});
        assert_true(second->now.muscle_offset == 0.0);
        state_destroy(saved);
        simulation_destroy(first);
        simulation_destroy(second);
    }
}

static double way_of(const char *assignments, double seconds)
{
    Simulation *simulation = start(fish_with(assignments));
    double from = centre_of(simulation).x;
    bool stable = simulation_next_step(simulation) <= simulation->limit.step;
    if (stable) run_for(simulation, seconds);
    double way = centre_of(simulation).x - from;
    simulation_destroy(simulation);
    return stable ? way : INFINITY;
}

// By every method with a stable step it swims more than its own length, 0.8 m, in 8 s; under imex,
// whose matrix resists turning, it is slower. Where water
// resists alike in all directions, or not at all, or muscles rest, it stays.
static void the_fish_swims(void **state)
{
    (void)state;
    for (int m = 0; m < integrator_count; m++) {
        char text[80];
        snprintf(text, sizeof text, "integrator=%s", integrator_name(m));
        double way = way_of(text, 8.0);
        double least = strcmp(integrator_name(m), "imex") == 0 ? 0.4 : 0.8;
        if (!(way > least)) fail_msg("%s: it swims %g m", text, way);
    }
    assert_near(way_of("drag_tangent=100", 8.0), 0.0, 0.05);
    assert_near(way_of("drag_normal=1", 8.0), 0.0, 0.05);
    assert_near(way_of("drag_normal=0 drag_tangent=0", 8.0), 0.0, 1e-9);
    assert_near(way_of("muscle_amplitude=0", 8.0), 0.0, 1e-12);
}

static void the_fish_has_its_springs(void **state)
{
    (void)state;
    Simulation *simulation = start(fish_with(""));
    const Mesh *mesh = &simulation->body.cloth.mesh;
    assert_int_equal(mesh->particle_count, 23);
    assert_int_equal(mesh->spring_count, 91);
    assert_int_equal(mesh->kind_start[SPRING_SHEAR], 63); // edges of its skin
    assert_int_equal(mesh->kind_start[SPRING_BEND], 91);
    assert_int_equal(mesh->triangle_count, 42);
    simulation_destroy(simulation);
}

// The lab holds rest lengths as they are: it leaves the state alone and calls it stable, twice.
static void the_lab_holds_the_lengths(void **state)
{
    (void)state;
    Simulation *simulation = start(fish_with("integrator=rk4"));
    run_for(simulation, 1.7);
    Lab lab;
    assert_int_equal(lab_init(&lab, simulation, NULL), STATUS_OK);
    uint64_t before = simulation_hash(simulation);
    Analysis out[2];
    AnalysisPlan plan = analysis_measured;
    plan.map_seconds = 1.0;
    for (int k = 0; k < 2; k++) lab_analyze(&lab, simulation, &plan, &out[k]);
    assert_true(simulation_hash(simulation) == before);
    assert_int_equal(out[0].verdict, VERDICT_STABLE);
    lab_finish(&lab);
    simulation_destroy(simulation);
}

#define MUSCLE "[muscle]\nsprings = 0-1\n"

static void mistakes_are_named(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says;
    } cases[] = {
        {"[muscle]\namplitude = 0.1\n", "line 1: muscle 1: it has no springs"},
        {"[muscle]\nsprings = 0\n", "pairs of particles"},
        {"[muscle]\nsprings = 0-1-2\n", "pairs of particles"},
        {"[muscle]\nsprings = 0-1 0-1 0-1 0-1 0-1 0-1 0-1 0-1 0-1 0-1 0-1 0-1 0-1\n", "at most 8"},
        {MUSCLE "amplitude = 0.5\n", "-0.4 to 0.4"},
        {MUSCLE "amplitude = nan\n", "-0.4 to 0.4"},
        {MUSCLE "period = 0\n", "0.05 to 100"},
        {MUSCLE "phase = 400\n", "-360 to 360"},
        {MUSCLE "start = -1\n", "0 to 100"},
        {MUSCLE "strength = 1\n", "it takes springs, amplitude, period, phase, start"},
        {MUSCLE "springs = 1-2\n", "springs is given twice"},
        {"[muscles]\n", "muscle"},
        {MUSCLE "[muscle]\nsprings = 1-0\n", "muscle 2: the spring 1-0 is named twice"},
        {"[muscle]\nsprings = 0-999\n", "no spring joins the particles 0 and 999"},
        {MUSCLE "[cloth]\nmodel = baraff-witkin\n", "takes model = springs"},
    };
    for (int i = 0; i < COUNT(cases); i++) {
        Scene scene = {.name = "test"};
        Error error = {0};
        Status status =
            scene_parse("test.ini", cases[i].text, strlen(cases[i].text), &scene, &error);
        Simulation *simulation = NULL;
        if (status == STATUS_OK) status = simulation_create(&scene, &simulation, &error);
        if (status == STATUS_OK || !strstr(error.text, cases[i].says))
            fail_msg("%s: \"%s\" does not say \"%s\"", cases[i].text, error.text, cases[i].says);
        simulation_destroy(simulation);
    }
}

static void a_written_scene_reads_the_same(void **state)
{
    (void)state;
    Scene scene = strip_with("muscle_amplitude=0.7"), again = {.name = "test"};
    scene.muscles[1].phase = 1.0 / 3.0;
    char text[40000] = "";
    FILE *file = fmemopen(text, sizeof text, "w");
    scene_print(&scene, file);
    fclose(file);
    assert_int_equal(scene_parse("test.ini", text, strlen(text), &again, NULL), STATUS_OK);
    Simulation *first = start(scene), *second = start(again);
    run_steps(first, 50);
    run_steps(second, 50);
    assert_true(simulation_hash(first) == simulation_hash(second));
    simulation_destroy(first);
    simulation_destroy(second);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lengths_follow_their_law),
        cmocka_unit_test(force_and_work_come_from_one_energy),
        cmocka_unit_test(tangents_use_the_present_lengths),
        cmocka_unit_test(the_balance_closes),
        cmocka_unit_test(a_saved_run_goes_on_alike),
        cmocka_unit_test(the_fish_swims),
        cmocka_unit_test(the_fish_has_its_springs),
        cmocka_unit_test(the_lab_holds_the_lengths),
        cmocka_unit_test(mistakes_are_named),
        cmocka_unit_test(a_written_scene_reads_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
