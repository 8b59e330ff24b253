// What the documents state as measured, measured again: the sentences of the integrators' rows,
// which are the table of docs/integrators.md; the README's first experiment; docs/measured.md; and,
// for one method, docs/stability-table.md. The words must be the same, and a number may differ by
// one in its last digit.
//
//   test_measured              compares
//   test_measured --write      prints docs/measured.md
//   test_measured --sentences  prints the sentences of the rows, after trying small steps too
#include "measured/document.h"
#include "measured/sentences.h"
#include "support/solver_test.h"

#include "apps/stability_table.h"
#include "base/file.h"
#include "lab/analysis.h"
#include "lab/remedy.h"
#include "runtime/scene_file.h"
#include "simulation/simulation_state.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The unit of the last digit of the number at `text`, and where it ends.
static double last_digit(const char *text, const char **end)
{
    double unit = 1.0;
    while (isdigit((unsigned char)*text)) text++;
    if (text[0] == '.' && isdigit((unsigned char)text[1])) {
        for (text++; isdigit((unsigned char)*text); text++) unit *= 0.1;
    }
    *end = text;
    return unit;
}

// The place in `stated` where it differs from what was measured, or NULL.
static const char *difference(const char *stated, const char *measured)
{
    while (*stated || *measured) {
        if (isdigit((unsigned char)*stated) && isdigit((unsigned char)*measured)) {
            const char *start = stated, *other = measured;
            double unit = last_digit(start, &stated);
            if (last_digit(other, &measured) != unit) return start;
            if (fabs(strtod(start, NULL) - strtod(other, NULL)) > 1.001 * unit) return start;
        } else if (*stated++ != *measured++) {
            return stated - 1;
        }
    }
    return NULL;
}

static void compare(const char *what, const char *stated, const char *measured)
{
    const char *place = difference(stated, measured);
    if (place) fail_msg("%s differs from \"%.40s\" on; measured is\n%s", what, place, measured);
}

static char *text_of(void (*write)(FILE *out))
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    write(out);
    assert_int_equal(fclose(out), 0);
    return text;
}

// A path from the top of the sources.
static FileText document(const char *name)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", SOURCE_DIRECTORY, name);
    FileText text;
    Error error;
    if (file_read(path, 1 << 20, &text, &error) != STATUS_OK) fail_msg("%s", error.text);
    return text;
}

static void numbers_may_differ_by_one_in_the_last_digit(void **state)
{
    (void)state;
    assert_null(difference("5 cm at 1/60 s, rho 1.706", "6 cm at 1/60 s, rho 1.705"));
    assert_string_equal(difference("5 cm at 1/60 s", "5 cm at 1/30 s"), "60 s");
    assert_string_equal(difference("rho 1.706", "rho 1.71"), "1.706");
    assert_string_equal(difference("7 cm", "7 m"), "cm");
    assert_string_equal(difference("7 cm", "7 cm."), "");
}

static void rows_say_what_is_measured(void **state)
{
    (void)state;
    assert_int_equal(measured_sentence_count, integrator_count);
    for (int i = 0; i < measured_sentence_count; i++) {
        char *text = text_of(measured_sentences[i].write);
        assert_string_equal(integrator_name(i), measured_sentences[i].method);
        compare(measured_sentences[i].method, integrator_table[i]->measured, text);
        free(text);
    }
}

static void the_document_says_what_is_measured(void **state)
{
    (void)state;
    FileText stated = document("docs/measured.md");
    char *text = text_of(measured_write_document);
    compare("docs/measured.md", stated.data, text);
    free(text);
    free(stated.data);
}

// The rows of one method; by bisection, so that the last digits depend on where it starts.
static void the_table_of_limits_says_what_is_measured(void **state)
{
    (void)state;
    static const char row[] = "\n| midpoint | %lf | %lf | %lf |";
    FileText stated = document("docs/stability-table.md");
    char *text;
    size_t size;
    Error error;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    if (stability_table_write("midpoint", out, &error) != STATUS_OK) fail_msg("%s", error.text);
    assert_int_equal(fclose(out), 0);
    const char *ours = text, *theirs = stated.data;
    for (int cloth = 0; cloth < 2; cloth++) {
        double a[3], b[3];
        ours = strstr(ours, "\n| midpoint |");
        theirs = strstr(theirs, "\n| midpoint |");
        assert_true(ours && theirs);
        assert_int_equal(sscanf(ours++, row, &a[0], &a[1], &a[2]), 3);
        assert_int_equal(sscanf(theirs++, row, &b[0], &b[1], &b[2]), 3);
        for (int i = 0; i < 3; i++) assert_near(a[i], b[i], 0.002 * b[i]);
    }
    free(text);
    free(stated.data);
}

// docs/stability.md: crossings are within 0.1 % of an exact limit; imex-axial's bound is less than
// 1 % low.
static void the_table_of_limits_is_as_accurate_as_described(void **state)
{
    (void)state;
    FileText table = document("docs/stability-table.md");
    int exact = 0, bounds = 0;
    char *rest = table.data;
    for (char *line = strtok_r(table.data, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        char name[60];
        double limit, crossing, run, run_off, off;
        if (sscanf(line, "| %59[^|]| %lf | %lf | %lf | %lf %% | %lf", name, &limit, &crossing, &run,
                   &run_off, &off) != 6) {
            continue;
        }
        bool is_bound = strstr(line, "(a bound)") != NULL;
        bool axial = strncmp(name, "imex-axial", 10) == 0;
        exact += !is_bound;
        bounds += axial;
        if (is_bound ? axial && !(off > -1.0 && off <= 0.0) : fabs(off) > 0.1) fail_msg("%s", line);
    }
    assert_true(exact == 17 && bounds == 2);
    free(table.data);
}

// The README's first experiment: let `drape` come to rest, keep the step, then stretch = 600 N/m.
static void the_first_experiment_goes_as_described(void **state)
{
    (void)state;
    FileText readme = document("README.md");
    Scene scene;
    Simulation *simulation;
    Error error;
    if (scene_load("drape", &scene, &error) != STATUS_OK) fail_msg("%s", error.text);
    assert_int_equal(simulation_create(&scene, &simulation, NULL), STATUS_OK);
    while (simulation_time(simulation) < 10.0) run_steps(simulation, 1);
    apply_command(simulation, command_set("step", simulation_next_step(simulation)));
    double h = simulation_next_step(simulation);
    apply_command(simulation, command_set("stretch", 600.0));
    simulation_refine_stiffness(simulation);
    Lab lab;
    Analysis analysis;
    assert_int_equal(lab_init(&lab, simulation, NULL), STATUS_OK);
    lab_analyze(&lab, simulation, &analysis_live, &analysis);
    lab_finish(&lab);
    // then it diverges, and the lab finds what would have helped
    for (int s = 0; s < 200 && simulation_divergences(simulation) == 0; s++)
        simulation_step(simulation, NULL);
    State *saved;
    Remedies remedies;
    RemedyPlan short_trials = remedy_default;
    short_trials.seconds = 1.0;
    assert_int_equal(state_create(&saved, NULL), STATUS_OK);
    assert_true(remedies_find(simulation, saved, &short_trials, &remedies));
    state_destroy(saved);
    assert_string_equal(param_table[remedies.remedy[0].param].name, "step");
    double share = remedies.remedy[0].value / analysis.limit.step;
    char texts[4][80];
    snprintf(texts[0], sizeof texts[0], "stays at %.2f ms", 1e3 * h);
    snprintf(texts[1], sizeof texts[1], "*diverges in about %.0f steps*",
             ceil(analysis.growth_steps));
    snprintf(texts[2], sizeof texts[2], "*%s*", remedies.remedy[0].label);
    snprintf(texts[3], sizeof texts[3], "the step at %.1f of the limit", share);
    for (int i = 0; i < 4; i++) {
        if (!strstr(readme.data, texts[i])) fail_msg("README.md does not say %s", texts[i]);
    }
    simulation_destroy(simulation);
    free(readme.data);
}

int main(int argc, char **argv)
{
    measured_thorough = argc > 1;
    if (argc > 1 && strcmp(argv[1], "--write") == 0) {
        measured_write_document(stdout);
        return 0;
    }
    if (argc > 1 && strcmp(argv[1], "--sentences") == 0) {
        measured_write_sentences(stdout);
        return 0;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_may_differ_by_one_in_the_last_digit),
        cmocka_unit_test(rows_say_what_is_measured),
        cmocka_unit_test(the_document_says_what_is_measured),
        cmocka_unit_test(the_table_of_limits_says_what_is_measured),
        cmocka_unit_test(the_table_of_limits_is_as_accurate_as_described),
        cmocka_unit_test(the_first_experiment_goes_as_described),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
