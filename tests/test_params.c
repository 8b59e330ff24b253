// The parameter table: defaults, ranges, words, text in and out.
#include "support/solver_test.h"

#include "integrators/integrator.h"

#include <math.h>
#include <string.h>

static void every_row_is_complete(void **state)
{
    (void)state;
    Params params = params_default();
    for (int i = 0; i < param_count; i++) {
        const ParamInfo *info = &param_table[i];
        assert_true(info->name[0] && info->label[0] && info->group[0]);
        assert_non_null(info->unit);
        assert_true(strlen(info->help) > 10 && info->help[strlen(info->help) - 1] == '.');
        assert_ptr_equal(param_find(info->name), info);
        assert_true(info->max > info->min);
        assert_false(info->word && info->min < 0.0); // the word's value must not be a valid number
        assert_false(info->logarithmic && info->min < 0.0);
        assert_int_equal(param_set(&params, info, param_get(&params, info), NULL), STATUS_OK);
        if (info->kind == PARAM_CHOICE) {
            assert_non_null(info->choice((int)info->max));
            assert_null(info->choice((int)info->max + 1));
            assert_null(info->choice(-1));
        }
    }
    assert_null(param_find("weave"));
}

// On a plain slider most of them would lie within the first pixel.
static void ranges_of_many_decades_are_logarithmic(void **state)
{
    (void)state;
    int found = 0;
    for (int i = 0; i < param_count; i++) {
        const ParamInfo *info = &param_table[i];
        if (info->kind != PARAM_REAL || !(info->min > 0.0 && info->max > 100.0 * info->min))
            continue;
        if (!info->logarithmic) fail_msg("%s is not logarithmic", info->name);
        found++;
    }
    assert_true(found > 5);
}

static void defaults_are_those_of_the_table(void **state)
{
    (void)state;
    Params params = params_default();
    assert_int_equal(params.rows, 32);
    assert_int_equal(params.columns, 32);
    assert_true(params.stretch == 330.0 && params.step == PARAM_WORD && params.alpha == 1e-4);
    assert_string_equal(integrator_name(params.integrator), "symplectic-euler");
}

static void values_outside_the_range_are_refused(void **state)
{
    (void)state;
    for (int i = 0; i < param_count; i++) {
        const ParamInfo *info = &param_table[i];
        const double bad[] = {NAN, INFINITY, -INFINITY, info->min - 2.0, info->max + 1.0};
        for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
            Params params = params_default(), before = params;
            Error error;
            assert_int_equal(param_set(&params, info, bad[k], &error), STATUS_BAD_PARAMETER);
            assert_non_null(strstr(error.text, info->name));
            assert_memory_equal(&params, &before, sizeof params);
        }
        Params params = params_default();
        assert_int_equal(param_set(&params, info, info->min, NULL), STATUS_OK);
        assert_true(param_get(&params, info) == info->min);
        assert_int_equal(param_set(&params, info, info->max, NULL), STATUS_OK);
        assert_true(param_get(&params, info) == info->max);
        // the word's value is valid for parameters with a word, and a plain number for others
        bool allowed = info->word || (info->min <= PARAM_WORD && info->max >= PARAM_WORD);
        assert_int_equal(param_set(&params, info, PARAM_WORD, NULL) == STATUS_OK, allowed);
    }
    Params params = params_default();
    assert_int_equal(param_set(&params, param_find("rows"), 3.5, NULL), STATUS_BAD_PARAMETER);
    assert_int_equal(param_set(&params, param_find("filter"), 0.5, NULL), STATUS_BAD_PARAMETER);
}

static void text_is_understood(void **state)
{
    (void)state;
    Params params = params_default();
    assert_int_equal(params_assign(&params, "stretch=1e3", NULL), STATUS_OK);
    assert_true(params.stretch == 1000.0);
    assert_int_equal(params_assign(&params, "step=0.01", NULL), STATUS_OK);
    assert_true(params.step == 0.01);
    assert_int_equal(params_assign(&params, "step=auto", NULL), STATUS_OK);
    assert_true(params.step == PARAM_WORD);
    assert_int_equal(params_assign(&params, "speed=max", NULL), STATUS_OK);
    assert_int_equal(params_assign(&params, "integrator=backward-euler", NULL), STATUS_OK);
    assert_string_equal(integrator_name(params.integrator), "backward-euler");
    assert_int_equal(params_assign(&params, "filter=exponential", NULL), STATUS_OK);
    assert_int_equal(params.filter, 1);
    assert_int_equal(params_assign(&params, "ground=-1", NULL), STATUS_OK); // no word: a number
    assert_true(params.ground == -1.0);
}

static void bad_text_is_refused_with_what_is_allowed(void **state)
{
    (void)state;
    const char *const bad[][2] = {
        {"stretch", "NAME=VALUE"},
        {"weave=3", "rows, columns"},
        {"=3", "there is no parameter"},
        {"stretchy=3", "there is no parameter"},
        {"stretch=", "0.1 to 1e+06 (N/m)"},
        {"stretch=abc", "stretch = abc"},
        {"stretch=3x", "0.1 to 1e+06"},
        {"stretch=3 4", "0.1 to 1e+06"},
        {"stretch=nan", "0.1 to 1e+06"},
        {"stretch=inf", "0.1 to 1e+06"},
        {"stretch=auto", "0.1 to 1e+06"},
        {"rows=3.5", "whole numbers 1 to 256"},
        {"rows=0", "whole numbers 1 to 256"},
        {"columns=1", "whole numbers 2 to 256"},
        {"step=-1", "1e-06 to 0.1, or auto"}, // the word's value, but not its text
        {"step=AUTO", "1e-06 to 0.1, or auto"},
        {"filter=1", "off, exponential or gaussian"},
        {"filter=gauss", "off, exponential or gaussian"},
        {"integrator=rk9", "symplectic-euler"},
    };
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        Params params = params_default(), before = params;
        Error error = {0};
        assert_int_equal(params_assign(&params, bad[k][0], &error), STATUS_BAD_PARAMETER);
        if (!strstr(error.text, bad[k][1])) fail_msg("%s: %s", bad[k][0], error.text);
        assert_null(strchr(error.text, '\n'));
        assert_memory_equal(&params, &before, sizeof params);
    }
    // the whole list of names fits into the message
    Error error;
    Params params = params_default();
    params_assign(&params, "a-rather-long-name-that-nobody-would-ever-use=1", &error);
    assert_non_null(strstr(error.text, param_table[param_count - 1].name));
}

static void what_is_printed_reads_back(void **state)
{
    (void)state;
    const double values[] = {1.0 / 120.0, 0.1, 1e-6, 3.3e-5};
    Params params = params_default();
    const ParamInfo *step = param_find("step");
    char text[64];
    for (size_t k = 0; k < sizeof values / sizeof values[0]; k++) {
        assert_int_equal(param_set(&params, step, values[k], NULL), STATUS_OK);
        param_print(&params, step, text, sizeof text);
        Params read = params_default();
        assert_int_equal(param_parse(&read, step, text, NULL), STATUS_OK);
        assert_true(read.step == values[k]);
    }
    params = params_default();
    for (int i = 0; i < param_count; i++) {
        Params read = params;
        param_print(&params, &param_table[i], text, sizeof text);
        assert_int_equal(param_parse(&read, &param_table[i], text, NULL), STATUS_OK);
        assert_true(param_get(&read, &param_table[i]) == param_get(&params, &param_table[i]));
    }
    param_print(&params, param_find("stretch"), text, sizeof text);
    assert_string_equal(text, "330");
    param_print(&params, step, text, sizeof text);
    assert_string_equal(text, "auto");
    param_allowed(step, text, sizeof text);
    assert_string_equal(text, "1e-06 to 0.1, or auto");
    param_allowed(param_find("tangent"), text, sizeof text);
    assert_string_equal(text, "clamped or full");
    char small[6];
    param_allowed(param_find("tangent"), small, sizeof small); // cut, not overrun
    assert_string_equal(small, "clamp");
}

// The room for them is enough, in a sentence and in a line of a scene file.
static void what_is_allowed_is_never_cut(void **state)
{
    (void)state;
    for (int i = 0; i < param_count; i++) {
        const ParamInfo *info = &param_table[i];
        char text[PARAM_ALLOWED_SIZE], whole[4 * PARAM_ALLOWED_SIZE];
        param_allowed(info, text, sizeof text);
        param_allowed(info, whole, sizeof whole);
        assert_string_equal(text, whole);
        if (strlen(text) + strlen(info->unit) + 4 > 198)
            fail_msg("the comment of %s is too long for a scene file", info->name);
        Params params = params_default();
        Error error;
        assert_int_not_equal(param_parse(&params, info, "nonsense", &error), STATUS_OK);
        assert_non_null(strstr(error.text, whole));
    }
}

static void pins_have_names(void **state)
{
    (void)state;
    assert_int_equal(pin_from_name("top-left"), PIN_TOP_LEFT);
    assert_int_equal(pin_from_name("left-edge"), PIN_LEFT_EDGE);
    assert_int_equal(pin_from_name("middle"), 0);
    Scene scene = scene_default();
    assert_string_equal(scene.name, "drape");
    assert_int_equal(scene.pins, PIN_TOP_LEFT | PIN_TOP_RIGHT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_is_complete),
        cmocka_unit_test(ranges_of_many_decades_are_logarithmic),
        cmocka_unit_test(defaults_are_those_of_the_table),
        cmocka_unit_test(values_outside_the_range_are_refused),
        cmocka_unit_test(text_is_understood),
        cmocka_unit_test(bad_text_is_refused_with_what_is_allowed),
        cmocka_unit_test(what_is_printed_reads_back),
        cmocka_unit_test(what_is_allowed_is_never_cut),
        cmocka_unit_test(pins_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
