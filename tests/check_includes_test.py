#!/usr/bin/env python3
"""tools/check-includes on small trees: each kind of violation is found, and nothing else.

usage: check_includes_test.py

Reports in TAP.
"""
import pathlib
import subprocess
import sys
import tempfile

CHECK = pathlib.Path(__file__).resolve().parent.parent / "tools/check-includes"
ROWS = {"base": "", "simulation": "base", "stage": "simulation", "ui": "base stage", "apps": "ui"}
FILES = {
    "base/status.h": "",
    "base/status.c": '#include "base/status.h"\n#include <stdio.h>\n',
    "simulation/simulation.h": '#include "base/status.h"\ntypedef struct Simulation Simulation;\n',
    "simulation/internals.h": "// One run, with everything in it. Private to\n// simulation/: ask "
                              "simulation.h.\nstruct Simulation {\n    int step;\n};\n",
    "simulation/simulation.c": '#include "simulation/internals.h"\n'
                               '#include "simulation/simulation.h"\n',
    "stage/stage.h": '#include "simulation/simulation.h"\n',
    "ui/ui.h": '#include "base/status.h"\n#include "stage/stage.h"\n#include "cimgui.h"\n',
    "ui/ui.c": '#include "ui/ui.h"\n#include "third/party.h"\n',
    "apps/main.c": '#include "ui/ui.h"\n',
}


def check(rows=None, files=None, table=True):
    """The lines printed for the sound tree with these rows and files in place of its own."""
    rows = {**ROWS, **(rows or {})}
    files = {**FILES, **(files or {})}
    lines = ["# Architecture", "", "| a table | before |", "|---|---|", "| nothing | base |"]
    if table:
        lines += ["<!-- includes: checked by tools/check-includes -->",
                  "| directory | may include |", "|---|---|"]
        lines += [f"| {name} | {allowed} |" for name, allowed in rows.items()
                  if allowed is not None]
        lines += ["<!-- end of includes -->"]
    with tempfile.TemporaryDirectory() as folder:
        tree = pathlib.Path(folder)
        for name, text in {**{f"src/{name}": text for name, text in files.items()},
                           "docs/architecture.md": "\n".join(lines)}.items():
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            (tree / name).write_text(text)
        done = subprocess.run([sys.executable, "-B", CHECK, tree], capture_output=True, text=True)
    assert done.returncode in (0, 1), done.stderr
    printed = (done.stdout + done.stderr).splitlines()
    if table:
        count = len(printed) - 1
        assert printed[-1] == f"{len(files)} files checked, {count} violations", printed
        assert done.returncode == (count > 0), done.returncode
    else:
        assert done.returncode == 1
    return printed[:-1] if table else printed


def expect(found, *wanted):
    assert found == list(wanted), "\n# ".join(["found:", *found, "wanted:", *wanted])


def a_sound_tree_passes():
    expect(check())


def an_include_against_the_arrows_is_found():
    expect(check(files={"base/status.c": '#include "ui/ui.h"\n'}),
           "src/base/status.c: includes ui/ui.h, which docs/architecture.md does not allow")
    expect(check(files={"simulation/simulation.c": '#  include "../stage/stage.h"\n'}),
           "src/simulation/simulation.c: includes stage/stage.h, "
           "which docs/architecture.md does not allow")


def an_unused_arrow_is_found():
    expect(check(rows={"apps": "base ui"}),
           "docs/architecture.md allows apps to include base, but no file does")


def a_directory_without_a_row_is_found():
    expect(check(rows={"base": None, "simulation": "`base`"}),
           "docs/architecture.md: has no row for base")


def a_row_without_a_directory_is_found():
    expect(check(rows={"lab": "base"}),
           "docs/architecture.md: the row of lab names lab, not a directory of src")
    expect(check(rows={"apps": "ui, lab"}),
           "docs/architecture.md: the row of apps names lab, not a directory of src")


def a_private_header_is_found_through_a_chain():
    expect(check(files={"stage/stage.c": '#include "simulation/internals.h"\n'}),
           "src/stage/stage.c: includes simulation/internals.h, which is private to simulation/")
    found = check(files={"simulation/simulation.h": '#include "base/status.h"\n'
                                                    '#include "simulation/internals.h"\n'})
    reason = "includes simulation/internals.h, which is private to simulation/, through"
    expect(sorted(found),
           f"src/apps/main.c: {reason} ui/ui.h, stage/stage.h, simulation/simulation.h",
           f"src/stage/stage.h: {reason} simulation/simulation.h",
           f"src/ui/ui.c: {reason} ui/ui.h, stage/stage.h, simulation/simulation.h",
           f"src/ui/ui.h: {reason} stage/stage.h, simulation/simulation.h")


def the_simulation_is_hidden_from_the_panels():
    found = check(files={"simulation/internals.h": "typedef struct Simulation {\n} Simulation;\n",
                         "stage/stage.h": '#include "simulation/simulation.h"\n'
                                          '#include "simulation/internals.h"\n'})
    reason = "includes simulation/internals.h, which defines struct Simulation, through"
    expect(found, f"src/apps/main.c: {reason} ui/ui.h, stage/stage.h",
           f"src/ui/ui.c: {reason} ui/ui.h, stage/stage.h")


def a_circle_of_headers_ends():
    expect(check(files={"ui/ui.h": FILES["ui/ui.h"] + '#include "ui/panel.h"\n',
                        "ui/panel.h": '#include "ui.h"\n'}))


def a_missing_table_is_said():
    printed = check(table=False)
    assert len(printed) == 1 and "has no table" in printed[0], printed


CASES = [a_sound_tree_passes, an_include_against_the_arrows_is_found, an_unused_arrow_is_found,
         a_directory_without_a_row_is_found, a_row_without_a_directory_is_found,
         a_private_header_is_found_through_a_chain, the_simulation_is_hidden_from_the_panels,
         a_circle_of_headers_ends, a_missing_table_is_said]


def main():
    print(f"1..{len(CASES)}", flush=True)
    failed = 0
    for number, case in enumerate(CASES, 1):
        try:
            case()
            print(f"ok {number} - {case.__name__}", flush=True)
        except (AssertionError, OSError, subprocess.SubprocessError) as reason:
            failed += 1
            print(f"not ok {number} - {case.__name__}\n# {reason}", flush=True)
    sys.exit(failed > 0)


main()
