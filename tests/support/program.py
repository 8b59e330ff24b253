"""For tests that run the program from outside: run it, check exit codes and sentences, report in TAP.

The test's arguments are [EMULATOR] PATH_OF_SELVAGE.
"""
import os
import subprocess
import sys
import tempfile

EMULATOR = sys.argv[1:-1]
SELVAGE = os.path.abspath(sys.argv[-1])
ENVIRONMENT = {name: value for name, value in os.environ.items()
               if name not in ("DISPLAY", "WAYLAND_DISPLAY", "SELVAGE_ASSETS")}
# nothing of the user's own is read or written
NOWHERE = tempfile.TemporaryDirectory()
ENVIRONMENT.update(HOME=NOWHERE.name, XDG_CONFIG_HOME=NOWHERE.name, XDG_STATE_HOME=NOWHERE.name)


def selvage(*arguments, program=SELVAGE, stdout=subprocess.PIPE, prepare=None, minutes=2, **environment):
    """Run it in the current directory. A run that does not end fails too."""
    return subprocess.run([*EMULATOR, program, *arguments], stdout=stdout, stderr=subprocess.PIPE,
                          stdin=subprocess.DEVNULL, env={**ENVIRONMENT, **environment},
                          preexec_fn=prepare, timeout=60 * minutes, encoding="utf-8")


def expect(code, *arguments, says=(), **more):
    """Run it and check the exit code and, for failures, one sentence with these words."""
    done = selvage(*arguments, **more)
    assert done.returncode == code, f"{arguments}: exit {done.returncode}: {done.stderr}"
    if code != 0:
        assert done.stderr.startswith("selvage: ") and done.stderr.count("\n") == 1, done.stderr
    for word in says:
        assert word in done.stderr, f"{arguments}: no {word!r} in {done.stderr!r}"
    return done.stdout


def read_text(path):
    with open(path) as file:
        return file.read()


def write(path, text):
    with open(path, "w") as file:
        file.write(text)


def run_cases(cases):
    """Each in an empty folder. SELVAGE_CLI_CASES: those whose names have one of these words; slow builds take a few."""
    words = os.environ.get("SELVAGE_CLI_CASES", "").split() or [""]
    cases = [case for case in cases if any(word in case.__name__ for word in words)]
    print(f"1..{len(cases)}", flush=True)
    failed = 0
    for number, case in enumerate(cases, 1):
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            try:
                case()
                print(f"ok {number} - {case.__name__}", flush=True)
            except (AssertionError, OSError, ValueError, subprocess.SubprocessError) as reason:
                failed += 1
                print(f"not ok {number} - {case.__name__}\n# {reason}", flush=True)
            os.chdir("/")
    sys.exit(failed > 0)
