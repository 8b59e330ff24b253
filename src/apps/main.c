// selvage: parses the command line and calls the command.
#include "apps/commands.h"
#include "apps/report.h"

int main(int argc, char **argv)
{
    static int (*const commands[])(const Options *) = {
        [APP_VIEW] = command_view,       [APP_LIST] = command_list,
        [APP_RUN] = command_run,         [APP_ANALYZE] = command_analyze,
        [APP_REGION] = command_region,   [APP_BENCH] = command_bench,
        [APP_COMPARE] = command_compare, [APP_SWEEP] = command_sweep,
        [APP_FIGURE] = command_figure,
    };
    Options options;
    Error error;
    if (options_parse(argc, argv, &options, &error) != STATUS_OK) return report_error(&error);

    int code = EXIT_DONE;
    if (options.help) {
        options_print_help(&options, stdout);
    } else if (options.version) {
        puts("selvage " SELVAGE_VERSION);
    } else {
        code = commands[options.command](&options);
    }
    options_finish(&options);
    return report_stdout(code);
}
