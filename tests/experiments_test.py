#!/usr/bin/env python3
"""Sweeps and figures: interrupted, killed, in shards, on a full disk; every figure drawn and its numbers checked.

usage: experiments_test.py [EMULATOR] PATH_OF_SELVAGE

Drawings are rendered with rsvg-convert. Reports in TAP.
"""
import csv
import html
import json
import os
import re
import resource
import shutil
import signal
import struct
import subprocess
import sys
import time
import zlib

TESTS = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(TESTS, "support"))
from program import EMULATOR, ENVIRONMENT, SELVAGE, expect, read_text, run_cases, selvage, write  # noqa: E402

MOMENT = 5  # s: what is asked for is a tenth of this, on a machine that does nothing else
SMALL = ["--set", "rows=6", "--set", "columns=6"]
# 24 runs, some of which diverge
GRID = ["sweep", "drape", *SMALL, "--over", "step=1e-4:1e-2:log:8", "--over", "stretch=20:200:lin:3",
        "--measure", "outcome,energy,cost,limit,theory", "--seconds", "2"]


def rows_of(path):
    """The rows of a sweep's file as dictionaries."""
    with open(path, newline="") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


def a_point_is_what_run_and_analyze_say():
    expect(0, "sweep", "drape", *SMALL, "--over", "step=0.0005,0.002", "--over", "integrator=rk4,leu",
           "--measure", "outcome,energy,end,steps,k0,limit,verdict,rho_measured", "--seconds", "1", "--csv", "s.csv")
    found = rows_of("s.csv")
    assert [(row["step"], row["integrator"]) for row in found] == [
        ("0.0005", "rk4"), ("0.0005", "leu"), ("0.002", "rk4"), ("0.002", "leu")]
    for row in found:
        same = [*SMALL, "--step", row["step"], "--integrator", row["integrator"], "--json"]
        run = json.loads(selvage("run", "drape", *same, "--seconds", "1").stdout)
        assert row["outcome"] == run["outcome"] and int(row["steps"]) == run["steps"], (row, run)
        assert abs(float(row["energy"]) - run["energy"]["total"]) < 1e-8, (row, run["energy"])
        analysis = json.loads(expect(0, "analyze", "drape", *same))
        assert row["verdict"] == analysis["verdict"], (row, analysis["verdict"])
        assert abs(float(row["limit"]) / analysis["step_limit"] - 1) < 1e-6, (row, analysis["step_limit"])
        assert abs(float(row["k0"]) / analysis["k0"] - 1) < 1e-6


def start(*arguments):
    return subprocess.Popen([*EMULATOR, SELVAGE, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            env=ENVIRONMENT, text=True)


def wait_for_rows(path, count):
    deadline = time.monotonic() + 100
    while not os.path.exists(path) or read_text(path).count("\n") < 7 + count:
        assert time.monotonic() < deadline, "no rows"
        time.sleep(0.002)


def a_killed_sweep_ends_as_one_that_was_not():
    expect(0, *GRID, "--csv", "whole.csv")
    whole = read_text("whole.csv")
    assert [row["point"] for row in rows_of("whole.csv")] == [str(i) for i in range(24)]
    assert {row["outcome"] for row in rows_of("whole.csv")} == {"done", "diverged"}
    for kill in (signal.SIGKILL, signal.SIGINT):
        name = f"cut{kill.value}.csv"
        process = start(*GRID, "--csv", name, "--threads", "2")
        wait_for_rows(name, 3)
        process.send_signal(kill)
        out, complaint = process.communicate(timeout=60)
        rows_before = read_text(name)
        assert rows_before != whole, "it was too fast to be interrupted"
        if kill == signal.SIGINT:
            assert process.returncode == 1 and "goes on from there" in complaint, complaint
        write(name, rows_before + "23,0.01,2")  # the row in which it was cut off
        expect(0, *GRID, "--csv", name, "--threads", "1")
        assert read_text(name) == whole


def no_point_is_computed_twice():
    expect(0, *GRID, "--csv", "whole.csv")
    lines = read_text("whole.csv").splitlines()
    marked = lines[9].replace("done", "marked").replace("diverged", "marked")
    write("part.csv", "\n".join([*lines[:9], marked]) + "\n")
    expect(0, *GRID, "--csv", "part.csv")
    assert read_text("part.csv").splitlines() == [*lines[:9], marked, *lines[10:]]


def shards_merged_are_one_run():
    expect(0, *GRID, "--csv", "whole.csv")
    for i in (1, 2, 3):
        expect(0, *GRID, "--shard", f"{i}/3", "--csv", f"part{i}.csv")
        assert len(rows_of(f"part{i}.csv")) == 8
    expect(0, "sweep", "--merge", "part3.csv", "part1.csv", "part2.csv", "--csv", "merged.csv")
    assert read_text("merged.csv") == read_text("whole.csv")
    assert expect(0, "sweep", "--merge", "part1.csv", "part2.csv", "part3.csv") == read_text("whole.csv")
    # what is missing can be computed from what is there
    expect(1, "sweep", "--merge", "part1.csv", "part3.csv", "--csv", "two.csv", says=["8 of 24 points"])
    expect(0, *GRID, "--csv", "two.csv")
    assert read_text("two.csv") == read_text("whole.csv")


def limit_file_size():
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # then a write beyond the limit returns an error
    resource.setrlimit(resource.RLIMIT_FSIZE, (700, 700))


def a_full_disk_keeps_what_was_written():
    expect(0, *GRID, "--csv", "whole.csv")
    expect(1, *GRID, "--csv", "full.csv", prepare=limit_file_size, says=["full.csv", "points are in it"])
    kept = read_text("full.csv")
    assert kept.endswith("\n") and 0 < len(rows_of("full.csv")) < 24, kept
    expect(0, *GRID, "--csv", "full.csv")
    assert read_text("full.csv") == read_text("whole.csv")
    expect(1, *GRID, "--csv", "/dev/full", says=["/dev/full", "No space left"])
    assert expect(0, *GRID) == read_text("whole.csv")
    with open("/dev/full", "w") as full:
        expect(1, *GRID, stdout=full, says=["standard output", "No space left"])


def bad_sweeps_are_refused():
    over = ["--over", "step=1e-4:1e-2:log:3"]
    for arguments, words in (
            ([], ["--over"]),
            (["--over", "nonsense=1:2:lin:3"], ["nonsense", "selvage list"]),
            (["--over", "step=1e-4:1e-2:cubic:3"], ["lin", "log"]),
            (["--over", "step=-1:1:log:3"], ["above 0"]),
            (["--over", "step=1e-4:5:lin:3"], ["step"]),
            (["--over", "integrator=rk5,leu"], ["rk5"]),
            (["--over", "integrator=1:2:lin:2"], ["VALUE,VALUE"]),
            ([*over, "--over", "step=0.1,0.2"], ["twice"]),
            (["--over", "step=1e-4:1e-2:log:4000", "--over", "air=0:1:lin:4000"], ["at most"]),
            ([*over, "--measure", "colour"], ["colour", "verdict"]),
            ([*over, "--measure", "cost,cost"], ["twice"]),
            ([*over, "--shard", "4/3"], ["4/3"]),
            ([*over, "drape", "curtain"], ["one scene"])):
        expect(2, "sweep", *arguments, says=words)
    expect(2, "sweep", "--merge", says=["FILES"])
    write("other.csv", "time,energy\n")
    expect(1, "sweep", "--merge", "other.csv", says=["other.csv"])
    expect(0, *GRID, "--shard", "1/8", "--csv", "s.csv")
    expect(2, *GRID, "--csv", "s.csv", says=["s.csv", "not of this sweep"])
    expect(2, *GRID, "--shard", "1/8", "--set", "air=3", "--csv", "s.csv", says=["not of this sweep"])
    expect(1, *GRID, "--csv", "nowhere/s.csv", says=["nowhere/s.csv", "No such file"])
    os.mkdir("folder")
    expect(1, *GRID, "--csv", "folder", says=["directory"])


def one_sweep_writes_a_file_at_a_time():
    forever = ["sweep", "drape", *SMALL, "--over", "step=1e-4:1e-3:log:9", "--measure", "energy", "--seconds", "1e5",
               "--csv", "s.csv"]
    with start(*forever) as process:
        wait_for_rows("s.csv", -1)
        expect(1, *forever, says=["another sweep"])
        process.kill()


def gnu_parallel_runs_shards():
    if not shutil.which("parallel") or EMULATOR:
        return
    command = " ".join([SELVAGE, *GRID, "--shard {}/3 --csv part{}.csv"])
    subprocess.run(["parallel", "--will-cite", command, ":::", "1", "2", "3"], check=True, env=ENVIRONMENT, timeout=120,
                   stdin=subprocess.DEVNULL)
    expect(0, *GRID, "--csv", "whole.csv")
    assert expect(0, "sweep", "--merge", "part1.csv", "part2.csv", "part3.csv") == read_text("whole.csv")


def the_slurm_example_makes_shards():
    """The job array's script, a task after the other, with what Slurm puts into the environment."""
    if EMULATOR:
        return
    script = read_text(os.path.join(TESTS, "..", "docs", "examples", "sweep.slurm"))
    assert re.search(r"^#SBATCH --array=1-16$", script, re.M), script
    small = script.replace("log:40", "log:4").replace("lin:30", "lin:2").replace("--seconds 2", "--seconds 0.1")
    small = small.replace("sweep drape", "sweep drape --set rows=5 --set columns=5")
    write("job.slurm", small)
    os.mkdir("bin")
    os.symlink(SELVAGE, "bin/selvage")
    for task in (1, 2, 3):
        environment = {**os.environ, **(ENVIRONMENT or {}), "SLURM_ARRAY_TASK_ID": str(task),
                       "SLURM_ARRAY_TASK_COUNT": "3", "SLURM_CPUS_PER_TASK": "1"}
        environment["PATH"] = os.path.abspath("bin") + ":" + os.environ["PATH"]
        subprocess.run(["bash", "job.slurm"], check=True, env=environment, timeout=120, stdin=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
    merged = expect(0, "sweep", "--merge", "part-1.csv", "part-2.csv", "part-3.csv")
    points = [line.split(",")[0] for line in merged.splitlines() if line[:1].isdigit()]
    assert points == [str(i) for i in range(8)], merged


# ---- figures


def pixels_of(svg, width):
    """Rows of (red, green, blue, alpha) of a drawing."""
    subprocess.run(["rsvg-convert", "-w", str(width), svg, "-o", "picture.png"], check=True)
    with open("picture.png", "rb") as file:
        data = file.read()
    at, packed = 8, b""
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + size]
        if kind == b"IHDR":
            columns, height, depth, colour = struct.unpack(">IIBB", body[:10])
            assert (depth, colour) == (8, 6), "rsvg-convert writes RGBA"
        packed += body if kind == b"IDAT" else b""
        at += size + 12
    raw, rows, above = zlib.decompress(packed), [], bytearray(4 * columns)
    for y in range(height):
        kind = raw[y * (4 * columns + 1)]
        line = bytearray(raw[y * (4 * columns + 1) + 1:(y + 1) * (4 * columns + 1)])
        for i in range(len(line)) if kind else ():
            left, up = line[i - 4] if i > 3 else 0, above[i]
            corner = above[i - 4] if i > 3 else 0
            p = left + up - corner
            nearest = min((abs(p - left), 0, left), (abs(p - up), 1, up), (abs(p - corner), 2, corner))[2]
            line[i] = (line[i] + (0, left, up, (left + up) // 2, nearest)[kind]) & 255
        rows.append([tuple(line[i:i + 4]) for i in range(0, len(line), 4)])
        above = line
    return rows


def text_in(svg):
    """(left, right, baseline, text) of what is written level, with a width that is rather too small."""
    found = []
    for x, y, attributes, text in re.findall(r'<text(?: class="\w+")? x="([-\d.]+)" y="([-\d.]+)"([^>]*)>([^<]*)</text>', svg):
        text = html.unescape(text)
        width = sum(3.2 if c in "iljt.,:;'|()[] " else 6.2 for c in text)
        left = float(x) - width / 2 if "middle" in attributes else float(x) - width if "end" in attributes else float(x)
        found.append((left, left + width, float(y), text))
    return found


def check_drawing(path):
    """Every frame has something coloured in it, nothing leaves the page, and no text lies over another."""
    svg = read_text(path)
    width, height = (int(n) for n in re.search(r'viewBox="0 0 (\d+) (\d+)"', svg).groups())
    margin = 40
    wider = svg.replace(f'viewBox="0 0 {width} {height}" width="{width}" height="{height}"',
                        f'viewBox="{-margin} {-margin} {width + 2 * margin} {height + 2 * margin}" '
                        f'width="{width + 2 * margin}" height="{height + 2 * margin}"')
    assert wider != svg
    write("wider.svg", wider)
    rows = pixels_of("wider.svg", (width + 2 * margin) // 2)
    edge = margin // 2 - 1
    outside = [p for y, row in enumerate(rows) for x, p in enumerate(row)
               if not (edge <= x < len(row) - edge and edge <= y < len(rows) - edge)]
    assert all(p[3] == 0 for p in outside), f"{path}: something leaves the page"
    for frame in re.findall(r'<rect class="axis" x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="([\d.]+)"/>', svg):
        x, y, wide, high = (float(n) / 2 for n in frame)
        inside = [p for row in rows[edge + 3 + int(y):edge + int(y + high)]
                  for p in row[edge + 3 + int(x):edge + int(x + wide)]]
        coloured = sum(max(p[:3]) - min(p[:3]) > 20 for p in inside)  # the grid has 14
        assert coloured > 0.002 * len(inside), f"{path}: a frame is empty"
    inked = sum(p != rows[edge + 3][edge + 3] for row in rows[edge + 2:-edge - 2] for p in row[edge + 2:-edge - 2])
    assert inked > 0.01 * len(rows) * len(rows[0]), f"{path} is empty"
    texts = text_in(svg)
    for i, (left, right, y, text) in enumerate(texts):
        for other_left, other_right, other_y, other in texts[:i]:
            apart = right <= other_left or other_right <= left or abs(y - other_y) > 7
            assert apart, f"{path}: {text!r} lies over {other!r}"


def facts_of(path):
    with open(path, newline="", encoding="utf-8") as file:
        return {row[1]: row[2] for row in csv.reader(file) if row and row[0] == "fact"}


def every_figure_is_drawn_and_agrees_with_theory():
    names = [line.split()[0] for line in expect(0, "list", "figures").splitlines()]
    expect(0, "figure", "all", "--quick", "--out", "figures", "--page", "page.md", minutes=9)
    assert sorted(os.listdir("figures")) == sorted(f"{n}.{e}" for n in names for e in ("svg", "csv"))
    with open("page.md", encoding="utf-8") as file:
        page = file.read()
    for name in names:
        check_drawing(f"figures/{name}.svg")
        assert os.path.getsize(f"figures/{name}.svg") < 100_000, name
        assert f"figures/{name}.svg" in page and f"selvage figure {name}" in page
    compared = 0
    with open(os.path.join(TESTS, "golden", "figures.csv"), newline="") as file:
        for row in csv.DictReader(file):
            facts = facts_of(f"figures/{row['figure']}.csv")
            value = float(facts[row["fact"]])
            assert abs(value - float(row["value"])) <= float(row["tolerance"]), (row, value)
            compared += 1
    assert compared > 120, compared
    energy_is_created_and_destroyed(facts_of("figures/energy.csv"))
    every_correction_is_seen(page, names)


def energy_is_created_and_destroyed(facts):
    """Undamped, in units of the fall: what a method must do at its automatic step and at a quarter of it."""
    def created(kind, name):
        return float(facts[f"energy created / fall, {kind}, {name}"])
    for name in ("Explicit", "LEU"):
        assert created("automatic step, when it diverged", name) > 0, name
    for name in ("Symplectic", "Sympl. impl. drag", "Verlet", "RK2"):
        assert abs(created("automatic step", name)) < 0.2, name
        assert abs(created("quarter of the step", name)) < 0.02, name
    assert abs(created("quarter of the step", "Verlet")) < 0.005
    for name in ("RK4", "Backward", "Backw. Newton", "IMEX Lapl.", "IMEX axial"):
        assert -1.001 < created("automatic step", name) < created("quarter of the step", name) < 0, name
    assert created("automatic step", "Backward") < -0.5


def every_correction_is_seen(page, names):
    """Rows of the page's last table name a figure and a fact or a curve of its CSV."""
    seen = 0
    for line in page[page.index("| Source |"):].splitlines()[2:]:
        _, _, figure, fact = (cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line)[1:-1])
        if figure == "none":
            continue
        assert figure in names, line
        with open(f"figures/{figure}.csv", newline="", encoding="utf-8") as file:
            assert fact in {row[1] for row in csv.reader(file) if len(row) > 1}, line
        seen += 1
    assert seen > 35, seen


def figures_are_asked_for_by_name():
    expect(0, "figure", "kang-3", "--out", "out", "--dark")
    assert "#181b22" in read_text("out/kang-3.svg")
    check_drawing("out/kang-3.svg")
    expect(2, "figure", says=["list figures"])
    expect(2, "figure", "kang-9", "--out", "out", says=["kang-9", "list figures"])
    expect(2, "figure", "kang-3", says=["--out"])
    write("taken", "")
    expect(1, "figure", "kang-3", "--out", "taken", says=["taken"])
    expect(1, "figure", "kang-3", "--out", "out", prepare=limit_file_size, says=["out/kang-3"])
    assert "#181b22" in read_text("out/kang-3.svg"), "a failure keeps the old file"
    assert len(json.loads(expect(0, "list", "figures", "--json"))["figures"]) > 30
    assert "rho_measured" in expect(0, "list", "measures")


def interrupt(process, name):
    """Ctrl-C is obeyed within a moment, by a sentence that names the figure."""
    process.send_signal(signal.SIGINT)
    sent = time.monotonic()
    complaint = process.communicate(timeout=60)[1]
    waited = time.monotonic() - sent
    assert process.returncode == 1 and f"interrupted in the figure {name}" in complaint, (name, complaint)
    assert waited < MOMENT, f"{name} went on for {waited:.1f} s"
    return complaint


def an_interrupted_figure_leaves_whole_files_only():
    before = sorted(os.listdir("."))
    names = [line.split()[0] for line in expect(0, "list", "figures").splitlines()]
    process = start("figure", "all", "--quick", "--out", "some", "--page", "page.md")
    whole = [process.stdout.readline().split()[0] for _ in range(4)]
    assert whole == names[:4]
    time.sleep(0.3)  # in the fifth, which takes seconds
    assert "the 4 before it are complete" in interrupt(process, names[4])
    assert sorted(os.listdir("some")) == sorted(f"{n}.{e}" for n in whole for e in ("svg", "csv"))
    # each of these takes its time in another place
    for name in ("shinya-5", "ahmad-6", "ahmad-fish", "work-precision", "limits", "growth", "energy", "divergence"):
        process = start("figure", name, "--out", name, "--page", "page.md")
        while not os.path.isdir(name):
            time.sleep(0.002)
        time.sleep(0.3)
        assert "which was not written" in interrupt(process, name)
        assert os.listdir(name) == [], name
        os.rmdir(name)
    assert sorted(os.listdir(".")) == sorted([*before, "some"]), "no page, and no temporary file"


run_cases([a_point_is_what_run_and_analyze_say, a_killed_sweep_ends_as_one_that_was_not, no_point_is_computed_twice,
           shards_merged_are_one_run, a_full_disk_keeps_what_was_written, bad_sweeps_are_refused,
           one_sweep_writes_a_file_at_a_time, gnu_parallel_runs_shards,
           the_slurm_example_makes_shards, figures_are_asked_for_by_name, an_interrupted_figure_leaves_whole_files_only,
           every_figure_is_drawn_and_agrees_with_theory])
