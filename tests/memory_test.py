#!/usr/bin/env python3
"""Let each request for memory of each command fail in turn: it ends with 1 and one sentence, and nothing is half written.

usage: memory_test.py PATH_OF_SELVAGE

heap_count.so, preloaded, refuses the N-th request of the program or of the C library. A refusal may also cost
nothing, such as a smaller buffer: then the command prints and writes what it does with all memory.

Of a command that writes no files all requests fail, in one run: heap_fork.so refuses each in a child. Of the others
a run refuses one: every n-th, so that there are about 25 of each command; SELVAGE_REQUESTS=0 takes all,
SELVAGE_REQUESTS=ways the first that comes by each chain of calls. Reports in TAP.
"""
import os
import shutil
import signal
import struct
import subprocess
import sys
import tempfile

TESTS = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(TESTS, "support"))
from program import ENVIRONMENT, SELVAGE, expect, read_text, run_cases, selvage, write  # noqa: E402

HEAP_COUNT = os.path.join(os.path.dirname(SELVAGE), "..", "tests", "heap_count.so")
HEAP_FORK = os.path.join(os.path.dirname(HEAP_COUNT), "heap_fork.so")
COUNTED = tempfile.TemporaryDirectory()
SMALL = ["--set", "rows=4", "--set", "columns=4"]
WAYS = os.environ.get("SELVAGE_REQUESTS") == "ways"
ABOUT = 0 if WAYS else int(os.environ.get("SELVAGE_REQUESTS", "25"))  # of each command; 0: all
SECONDS_OF_WINDOW = 2
INPUTS = ("state.csv", "session.rec", "scene.ini", "part.csv")


def files():
    found = {}
    for folder, _, names in os.walk("."):
        for name in names:
            path = os.path.join(folder, name)
            with open(path, "rb") as file:
                found[path] = file.read()
    return found


def refusing(number, where):
    """The environment in which that request is refused; 0: none, and the ways are noted."""
    ways = {"HEAP_WAYS": os.path.join(COUNTED.name, "ways")} if WAYS and number == 0 else {}
    return {"LD_PRELOAD": HEAP_COUNT, "HEAP_COUNT": os.path.join(COUNTED.name, "count"), "HEAP_FAIL_AT": str(number),
            "HEAP_FAIL_IN": where, **ways}


def read_numbers(*path):
    with open(os.path.join(*path), "rb") as file:
        return [number for number, in struct.iter_unpack("q", file.read())]


def requests_made():
    """(how many there were, how many of them were refused)"""
    refused, requests = read_numbers(COUNTED.name, "count")[-2:]
    os.remove(os.path.join(COUNTED.name, "count"))
    return requests, refused


def run_refusing(number, arguments, where):
    """The command in a folder of its own, with what it left there."""
    inputs = os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        for name in INPUTS:
            if os.path.exists(name):
                shutil.copy(name, folder)
        os.chdir(folder)
        try:
            done = selvage(*arguments, **refusing(number, where))
            left = files()
        finally:
            os.chdir(inputs)
    return done, left, requests_made()[0]


def numbers(requests):
    if WAYS:
        return read_numbers(COUNTED.name, "ways")
    every = max(1, requests // ABOUT) if ABOUT else 1
    return range(1, requests + 1, every)


def is_whole(data, expected):
    """Files with measured times differ in these; a picture may have the shadows of the frame before."""
    if expected.startswith(b"\x89PNG"):
        return data.startswith(b"\x89PNG") and data.endswith(expected[-8:])
    return data.endswith(b"\n") and data.count(b"\n") == expected.count(b"\n")


def judge(done, left, whole, journal):
    """What is wrong with the end of a run of which a request was refused; None if it is right."""
    expected, expected_left = whole
    more = sorted(path for path in left if path not in expected_left)
    half = sorted(path for path in left if path in expected_left and path != journal
                  and not is_whole(left[path], expected_left[path]))
    if more or half:
        return f"half written: {half + more}"
    if done.returncode == expected.returncode:
        return None if left.keys() == expected_left.keys() else f"only the files {sorted(left)}"
    if done.returncode != 1:
        return f"exit {done.returncode}: {done.stderr!r}"
    sentence = done.stderr.removeprefix(expected.stderr)  # what it always says may come first
    if not sentence.startswith("selvage: ") or sentence.count("\n") != 1:
        return f"not one sentence: {done.stderr!r}"
    return None


def every_request_fails(*arguments, where="anywhere", says_the_same=True, journal=None):
    """The journal of a sweep may end early: the sweep goes on from there."""
    done, left, requests = run_refusing(0, arguments, where)
    assert done.returncode in (0, 3), f"{arguments}: {done.stderr}"
    assert requests > 2, f"{arguments}: {requests} requests"
    wrong, tried = [], numbers(requests)
    for number in tried:
        ended, now, _ = run_refusing(number, arguments, where)
        why = judge(ended, now, (done, left), journal)
        if not why and ended.returncode == done.returncode and says_the_same and ended.stdout != done.stdout:
            why = "other words"
        if not why and journal in now and now[journal] != left[journal]:
            with open(journal, "wb") as file:
                file.write(now[journal])
            expect(0, *arguments)
            why = None if files()[journal] == left[journal] else "the sweep does not go on"
        if why:
            wrong.append(f"request {number} of {requests} of {' '.join(arguments)}: {why}")
    print(f"# {len(tried)} of {requests} requests: {' '.join(arguments)}")
    assert not wrong, "\n# ".join(wrong[:20] + [f"{len(wrong)} wrong"])


def children_that_ended(folder):
    """(number of the request that was refused, how the child ended)"""
    rows = iter(read_numbers(folder, "ended"))
    for number, status in zip(rows, rows):
        said = [read_text(os.path.join(folder, f"{number}.{stream}")) for stream in (1, 2)]
        yield number, subprocess.CompletedProcess((), os.waitstatus_to_exitcode(status), *said)


def refuse_others(arguments, done):
    """Requests of threads beside the main one, one after the other in one run: (how many, what is wrong)."""
    ended = selvage(*arguments, minutes=5, HEAP_FAIL_BESIDE="1", **refusing(0, "anywhere"))
    return requests_made()[1], judge(ended, {}, (done, {}), None)


def every_request_fails_at_once(*arguments, says_the_same=True):
    """Of a command that writes no files.

    Those beside a thread that asks too have been tried by the same chains of calls without it. A child whose refusal
    is without effect may end later because it gets no thread.
    """
    before, ways = files(), os.path.join(COUNTED.name, "ways")
    with tempfile.TemporaryDirectory() as folder:
        forking = {"LD_PRELOAD": f"{HEAP_COUNT} {HEAP_FORK}", "HEAP_FORK": folder, "HEAP_WAYS": ways}
        done = selvage(*arguments, minutes=5, **{**refusing(0, "anywhere"), **forking})
        requests = requests_made()[0]
        assert done.returncode in (0, 3), f"{arguments}: {done.stderr}"
        assert requests > 2, f"{arguments}: {requests} requests"
        children = list(children_that_ended(folder))
        beside, others = read_numbers(folder, "beside"), read_numbers(folder, "others")
    assert len(children) + len(beside) + len(others) == requests
    wrong, free = [], 0
    for number, child in children:
        why = judge(child, {}, (done, {}), None)
        free += child.returncode == done.returncode or "cannot start" in child.stderr
        if not why and child.returncode == done.returncode:
            why = "other words" if says_the_same and child.stdout != done.stdout else None
        if why:
            wrong.append(f"request {number} of {requests}: {why}")
    untried = set(beside) & set(read_numbers(ways))
    if untried:
        wrong.append(f"not tried, nor another that comes by the same calls: {sorted(untried)}")
    print(f"# {len(children)} of {requests} requests, {free} without effect: {' '.join(arguments)}")
    if others:
        refused, why = refuse_others(arguments, done)
        wrong += [f"{refused} of other threads: {why}"] if why else []
        print(f"# {len(beside)} beside another thread; {len(others)} of other threads, {refused} refused")
    if files() != before:
        wrong.append("it wrote a file")
    assert not wrong, "\n# ".join([' '.join(arguments), *wrong[:20], f"{len(wrong)} wrong"])


def list_needs_memory():
    for topic in ([], ["integrators"], ["lessons"], ["measures"], ["figures"]):
        every_request_fails_at_once("list", *topic)
    every_request_fails_at_once("list", "--json")


def help_needs_memory():
    every_request_fails_at_once("--help")
    every_request_fails_at_once("sweep", "--help")


def run_needs_memory():
    every_request_fails("run", *SMALL, "--steps", "5", "--csv", "series.csv", "--state-out", "end.csv",
                        "--record", "run.rec", says_the_same=False)
    every_request_fails_at_once("run", "fish", "--steps", "2", says_the_same=False)
    every_request_fails_at_once("run", "sphere", *SMALL, "--integrator", "backward-euler", "--steps", "2", "--json",
                        says_the_same=False)


def run_from_a_state_needs_memory():
    expect(0, "run", *SMALL, "--steps", "5", "--state-out", "state.csv")
    every_request_fails_at_once("run", *SMALL, "--steps", "2", "--state-in", "state.csv", says_the_same=False)


def replay_needs_memory():
    write("session.rec", "selvage-record 1\nscene small\n[cloth]\nrows = 3\ncolumns = 3\nend scene\n"
                         "0 0 s grab 4 0.5 0.3 0.5\n2 0 s release\n2 0 s pin 5\n3 0 s set rows 4\n4 0 s end\n")
    every_request_fails("run", "--replay", "session.rec", "--state-out", "end.csv", says_the_same=False)
    write("session.rec", "selvage-record 1\nscene two\n[cloth]\nrows = 2\ncolumns = 3\n[lane]\nintegrator = rk4\n"
                         "[lane]\nsafety = 0.5\nend scene\n0 s lane 2 set air 1\n0.002 s end\n")
    every_request_fails_at_once("run", "--replay", "session.rec", says_the_same=False)


def lesson_needs_memory():
    write("scene.ini", "[lesson]\ntitle = T\n[step]\nscene = pair\ncaption = c\nrun = 0.01 s\npromise = time > 0 s\n")
    every_request_fails_at_once("run", "--lesson", "scene.ini", says_the_same=False)


def analyze_needs_memory():
    every_request_fails_at_once("analyze", *SMALL, says_the_same=False)
    every_request_fails_at_once("analyze", "pair", "--json", says_the_same=False)


def region_needs_memory():
    every_request_fails("region", "rk4", "--svg", "region.svg")
    every_request_fails_at_once("region", "leu", "--at", "-1,0.5", "--json")


def compare_needs_memory():
    every_request_fails("compare", *SMALL, "--lane", "integrator=rk4", "--lane", "safety=0.5", "--seconds", "0.01",
                        "--csv", "lanes.csv", says_the_same=False)


def sweep_needs_memory():
    sweep = ["sweep", *SMALL, "--over", "stretch=10,20", "--measure", "verdict,limit", "--seconds", "0.01", "--threads", "1"]
    every_request_fails(*sweep, "--csv", "sweep.csv", says_the_same=False, journal="./sweep.csv")
    expect(0, *sweep, "--csv", "part.csv")
    every_request_fails("sweep", "--merge", "part.csv", "--csv", "all.csv", says_the_same=False)


def figure_needs_memory():
    every_request_fails("figure", "shinya-1", "--quick", "--out", "figures", "--threads", "1", says_the_same=False)


def bench_needs_memory():
    every_request_fails_at_once("bench", "--quick", says_the_same=False)


def view_needs_memory():
    """Without a display it makes a picture. The C library may ask on behalf of OpenGL, which it is not about."""
    every_request_fails("view", *SMALL, where="program", says_the_same=False)


def start_display():
    """Xvfb, which chooses its number."""
    read, number = os.pipe()
    server = subprocess.Popen(["Xvfb", "-displayfd", str(number), "-screen", "0", "1280x800x24"], pass_fds=[number],
                              stderr=subprocess.DEVNULL)
    os.close(number)
    with os.fdopen(read) as answer:
        return server, ":" + answer.readline().strip()


def start_window(number, display):
    """For a moment: (exit code, what it said, requests by then). A window that opened is closed as a desktop would."""
    environment = {**ENVIRONMENT, "DISPLAY": display, **refusing(number, "program")}
    process = subprocess.Popen([SELVAGE, "view", *SMALL, "--paused"], env=environment, stderr=subprocess.PIPE,
                               stdin=subprocess.DEVNULL, encoding="utf-8")
    try:
        _, said = process.communicate(timeout=SECONDS_OF_WINDOW)
    except subprocess.TimeoutExpired:
        process.terminate()
        _, said = process.communicate(timeout=30)
    return process.returncode, said, requests_made()[0]


def the_windows_start_needs_memory():
    """What is refused ends it with 1 and a sentence, or costs a detail of what is shown.

    A library that gets no memory may say that there is no display; then a picture is drawn instead. Whether a window
    is open before it is closed depends on how busy the machine is.
    """
    if not shutil.which("Xvfb") or selvage("run", *SMALL, "--steps", "0", "--png", "probe.png").returncode == 2:
        return
    server, display = start_display()
    try:
        code, said, requests = start_window(0, display)
        well = (0, -signal.SIGTERM)
        assert code in well and requests > 100, f"exit {code}: {said}"
        wrong, tried = [], numbers(requests)
        for number in tried:
            code, said, _ = start_window(number, display)
            sentence = said.startswith("selvage: ") and said.count("\n") == 1
            if code not in well and not (code == 1 and sentence):
                wrong.append(f"request {number} of {requests}: exit {code}: {said!r}")
        print(f"# {len(tried)} of {requests} requests of the window's start")
        assert not wrong, "\n# ".join(wrong[:20] + [f"{len(wrong)} wrong"])
    finally:
        server.terminate()
        server.wait()


run_cases([help_needs_memory, list_needs_memory, run_needs_memory, run_from_a_state_needs_memory, replay_needs_memory,
           lesson_needs_memory, analyze_needs_memory, region_needs_memory, compare_needs_memory, sweep_needs_memory,
           figure_needs_memory, bench_needs_memory, view_needs_memory,
           the_windows_start_needs_memory])
