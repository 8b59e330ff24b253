#!/usr/bin/env python3
"""Run the program with arguments and check exit code, text and files.

usage: cli_test.py [EMULATOR] PATH_OF_SELVAGE

Needs no display; a build without the renderer is tested too. Reports in TAP.
"""
import csv
import json
import math
import os
import re
import resource
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

TESTS = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(TESTS, "support"))
from program import EMULATOR, ENVIRONMENT, SELVAGE, expect, read_text, run_cases, selvage, write  # noqa: E402

GOLDEN = os.path.join(TESTS, "golden")
SCENES = os.path.join(TESTS, "..", "assets", "scenes")
SMALL = ["--set", "rows=6", "--set", "columns=6"]
UNSTABLE = [*SMALL, "--set", "safety=1.5"]  # 1.5 times the largest stable step: fails after a few steps


def rows(path):
    with open(path, newline="") as file:
        return [{name: float(value) for name, value in row.items()} for row in csv.DictReader(file)]


def has_renderer():
    return selvage("run", *SMALL, "--steps", "0", "--png", "probe.png").returncode != 2


def one_step_agrees_with_the_reference():
    for integrator, name in (("symplectic-euler", "se"), ("backward-euler", "be")):
        expect(0, "run", "drape", "--set", "rows=8", "--set", "columns=8", "--set", "stretch=50",
               "--set", "shear=25", "--set", "bend=5", "--set", "air=0.5", "--set", "alpha=1e-3",
               "--step", "1e-3", "--set", "pcg_tolerance=1e-15", "--integrator", integrator,
               "--state-in", os.path.join(GOLDEN, "8x8_initial.csv"), "--steps", "1",
               "--state-out", "out.csv")
        ours, theirs = rows("out.csv"), rows(os.path.join(GOLDEN, f"8x8_{name}_N1.csv"))
        assert len(ours) == len(theirs) == 64
        worst = max(abs(a[key] - b[key]) for a, b in zip(ours, theirs)
                    for key in ("x", "y", "z", "vx", "vy", "vz"))
        assert worst <= 1e-12, f"{integrator} is off by {worst}"


def mistakes_get_one_sentence_and_two():
    for arguments, words in (
            (["runn"], ["runn", "view, list, run, analyze, region, bench, compare, sweep and figure", "drape"]),
            (["run", "nothing"], ["nothing", "banner, curtain, drape, fish, flag, hammock"]),
            (["run", "--frobnicate"], ["--frobnicate", "run --help"]),
            (["view", "--csv", "x.csv"], ["--csv", "view --help"]),
            (["list", "--set", "rows=3"], ["--set"]),
            (["list", "drape"], ["list", "drape"]),
            (["run", "drape", "banner"], ["drape", "banner"]),
            (["run", "--csv"], ["--csv FILE"]),
            (["run", "--csv="], ["--csv FILE"]),
            (["run", "--json=yes"], ["--json"]),
            (["run", "--seconds", "nan"], ["--seconds", "nan"]),
            (["run", "--seconds", "-1"], ["0 to 1e+06"]),
            (["run", "--seconds", "5s"], ["5s"]),
            (["run", "--steps", "1.5"], ["whole number"]),
            (["run", "--steps", "99999999999999999999"], ["--steps"]),
            (["run", "--steps", "1", "--seconds", "1"], ["not both"]),
            (["run", "--integrator", "euler"], ["integrator", "symplectic-euler"]),
            (["run", "--step", "0"], ["step", "auto"]),
            (["run", "--set", "rows"], ["rows"]),
            (["run", "--set", "row=3"], ["row", "rows, columns"]),
            (["run", "--set", "rows=0"], ["rows", "1 to"]),
            (["run", "--set", "stretch=nan"], ["stretch"]),
            (["view", "--size", "10x10"], ["1280x800"]),
            (["view", "--size", "1280"], ["1280x800"]),
            (["view", "--text-size", "99"], ["100 to 300"]),
            (["view", "--light", "--dark"], ["--light or --dark"]),
            (["compare"], ["--lane", "1 to 15"]),
            (["compare", "--lane", "rows=3"], ["rows", "particle by particle"]),
            (["compare", "--lane", "integrator=euler"], ["symplectic-euler", "harmonic"]),
            (["compare", "--lane", "alpha=0", "--reference", "2"], ["--reference", "fine"]),
            (["compare", "race", "--reference", "5"], ["--reference", "1 to 4"]),
            (["compare", "race", "--set", "filter=exponential"],
             ['lane 1, "rk4"', "filter_place = after"]),
            (["compare", "--lane", "alpha=0", "--lane", "integrator=rk4 filter=gaussian"],
             ['--lane "integrator=rk4 filter=gaussian"', "filter_place = after"]),
            (["compare", *["--lane", "alpha=0"] * 16], ["at most 15 lanes, not 16"]),
            (["view", *["--lane", "alpha=0"] * 5], ["at most 4 lanes, not 5"]),
            (["view", "--lane", "speed=2"], ["speed", "one clock"]),
            (["view", "--reference", "1"], ["--reference", "takes fine, none or"]),
            (["view", "race", "--reference", "5"], ["--reference", "from 1 to 4"]),
            (["run", "--toggled-pins", "1 x"], ["--toggled-pins", "from 0", "none"]),
            (["run", *SMALL, "--toggled-pins", "36"], ["0 to 35"]),
            (["view", "--replay", "a.rec", "--lane", "alpha=0"], ["--replay", "--lane"]),
            (["view", "--replay", "a.rec", "--reference", "fine"], ["--replay", "--reference"]),
            (["run", "--lane", "alpha=0"], ["--lane", "view and compare", "run --help"])):
        expect(2, *arguments, says=words)


def bad_scene_files_are_explained():
    write("bad.ini", "[cloth]\nrows = 3\nrow = 4\n")
    expect(2, "run", "bad.ini", says=["bad.ini, line 3", '"row"', "rows, columns"])
    expect(2, "bad.ini", says=["bad.ini, line 3"])
    expect(1, "run", "./missing.ini", says=["missing.ini"])
    os.mkdir("folder.ini")
    expect(1, "run", "folder.ini", says=["folder.ini"])
    with open("bytes.ini", "wb") as file:
        file.write(bytes(range(256)))
    expect(2, "run", "bytes.ini", says=["bytes.ini"])


def help_and_version_go_to_stdout():
    assert "selvage run" in expect(0, "--help")
    assert "--text-size" in expect(0, "view", "-h")
    assert "--state-out" in expect(0, "run", "--help")
    assert "--json" in expect(0, "list", "--help") and "--csv" not in expect(0, "list", "--help")
    assert expect(0, "--version").startswith("selvage ")


SCENE_NAMES = ["banner", "curtain", "drape", "fish", "flag", "hammock", "heap", "orbit", "pair", "patch",
               "race", "rope", "slide", "slope", "sphere", "spring", "trampoline"]


def list_names_everything():
    text, data = expect(0, "list"), json.loads(expect(0, "list", "--json"))
    assert [scene["name"] for scene in data["scenes"]] == SCENE_NAMES
    assert {"symplectic-euler", "backward-euler"} <= {i["name"] for i in data["integrators"]}
    assert json.loads(expect(0, "list", "integrators", "--json")) == {
        "integrators": data["integrators"]}
    names = [parameter["name"] for parameter in data["parameters"]]
    assert len(names) == len(set(names)) >= 20
    for parameter in data["parameters"]:
        assert f"\n  {parameter['name']} " in text and parameter["help"] in text
        if "choices" in parameter:
            assert parameter["default"] in parameter["choices"]
        elif parameter["default"] != parameter.get("word"):
            assert parameter["min"] <= parameter["default"] <= parameter["max"]


def read_document(name):
    with open(os.path.join(TESTS, "..", name), encoding="utf-8") as file:
        return file.read()


def links_of_the_documents_lead_somewhere():
    root = os.path.join(TESTS, "..")
    documents = ["README.md"] + [f"docs/{name}" for name in os.listdir(os.path.join(root, "docs"))
                                 if name.endswith(".md")]
    for document in documents:
        for link in re.findall(r"\]\(([^)#\s]+)", read_document(document)):
            target = os.path.join(root, os.path.dirname(document), link)
            assert "://" in link or os.path.exists(target), f"{document}: {link} is not there"


def the_table_of_integrators_is_what_the_program_lists():
    document = read_document("docs/integrators.md")
    mark = "selvage list integrators -->\n"
    begin, end = f"<!-- begin: {mark}", f"<!-- end: {mark}"
    assert document.count(begin) == document.count(end) == 1, "no table between its two marks"
    shown = document.partition(begin)[2].partition(end)[0].splitlines()
    printed = expect(0, "list", "integrators").splitlines()
    for ours, theirs in zip(printed, shown):
        assert ours == theirs, f"the program prints {ours!r}, the document has {theirs!r}"
    assert len(printed) == len(shown), "the document's table has more or fewer lines"


def same_words(ours, theirs):
    """Words are equal, numbers agree to 0.1 %, or both are 0 up to rounding. What is uncertain by
    how much depends on rounding too."""
    before = ""
    for a, b in zip(ours, theirs):
        try:
            uncertainty = before in ("within", "residual")
            if not uncertainty and not math.isclose(float(a.rstrip(",")), float(b.rstrip(",")),
                                                    rel_tol=1e-3, abs_tol=1e-6):
                return False
        except ValueError:
            if a != b:
                return False
        before = b
    return len(ours) == len(theirs)


def the_documents_show_what_the_program_prints():
    """An indented block of docs/command-line.md for each of these, from its first words on."""
    document = read_document("docs/command-line.md")
    for code, first, *arguments in (
            (3, "selvage: drape diverged", "run", "drape", "--set", "stretch=660", "--step", "0.0005"),
            (0, "scene ", "analyze", "hammock", "--step", "0.000735"),
            (0, "integrator   symplectic", "region", "symplectic-euler", "--at", "0,4.1")):
        assert f"`{' '.join(arguments)}`" in document, f"no {' '.join(arguments)}"
        lines = document.partition(f"\n    {first}")[2].split("\n\n")[0].splitlines()
        done = selvage(*arguments)
        assert done.returncode == code, f"{arguments}: exit {done.returncode}"
        printed = (done.stderr if code else done.stdout).splitlines()
        lines[0] = first + lines[0]
        for ours, theirs in zip(printed, lines):
            assert same_words(ours.split(), theirs.split()), f"{ours!r}, the document has {theirs!r}"
        assert len(lines) <= len(printed), "the document's block has more lines"


def every_scene_runs():
    for name in SCENE_NAMES:
        data = json.loads(expect(0, "run", name, "--seconds", "0.2", "--json"))
        assert data["scene"] == name and not data["diverged"] and data["message"] == ""


def the_summary_adds_up():
    data = json.loads(expect(0, "run", *SMALL, "--seconds", "1", "--json"))
    assert set(data) == {"scene", "integrator", "time", "seconds", "steps", "step", "step_limit",
                         "limit_is_bound", "soft_modes_may_grow", "k0", "alpha", "energy",
                         "balance", "contacts", "max_speed", "max_strain", "cost",
                         "force_evaluations", "pcg_iterations", "pcg_residual", "pcg_spent",
                         "real_time_factor", "hash", "outcome", "diverged", "message"}
    assert data["outcome"] == "done" and data["time"] == data["seconds"]
    balance = data["balance"]
    assert math.isclose(data["energy"]["total"], balance["start"] + balance["hand"]
                        + balance["contact"] + balance["wind"] + balance["muscle"]
                        - balance["damping"] - balance["filter"] + balance["remainder"],
                        abs_tol=1e-12)
    assert 0 < balance["error"] < balance["damping"]
    energy = data["energy"]
    assert math.isclose(energy["total"], energy["kinetic"] + energy["elastic"] + energy["gravity"])
    assert abs(data["seconds"] - 1) <= data["step"] and data["steps"] > 10
    table = expect(0, "run", *SMALL, "--seconds", "1")
    assert f"in {data['steps']} steps" in table and "done" in table
    # backward Euler has no largest stable step, and JSON has no infinity
    text = expect(0, "run", *SMALL, "--integrator", "backward-euler", "--steps", "3", "--json")
    assert json.loads(text)["step_limit"] is None and json.loads(text)["steps"] == 3


def whole_steps_end_nearest_to_the_seconds():
    for seconds, steps in ((0, 0), (0.004, 0), (0.006, 1), (0.014, 1), (0.016, 2), (1, 100)):
        text = expect(0, "run", *SMALL, "--integrator", "backward-euler", "--step", "0.01",
                      "--seconds", str(seconds), "--json")
        assert json.loads(text)["steps"] == steps, seconds


def a_rewind_costs_no_simulated_time():
    arguments = [*SMALL, "--set", "safety=1.3", "--set", "on_divergence=rewind", "--seconds", "1"]
    data = json.loads(expect(0, "run", *arguments, "--json"))
    assert data["step"] < 0.85 * data["step_limit"], "nothing was rewound"
    assert abs(data["seconds"] - 1) <= data["step"], data["seconds"]


def the_last_setting_wins():
    write("scene.ini", "[cloth]\nrows = 4\ncolumns = 4\n[time]\nintegrator = backward-euler\n")
    text = expect(0, "run", "scene.ini", "--steps=1", "--integrator", "symplectic-euler", "--step",
                  "0.001", "--set=step=0.002", "--json")
    data = json.loads(text)
    assert (data["scene"], data["integrator"], data["step"]) == ("scene", "symplectic-euler", 0.002)


def the_series_has_its_rows():
    expect(0, "run", *SMALL, "--seconds", "1", "--csv", "series.csv")
    with open("series.csv") as file:
        head = file.readline().strip()
    assert head == "time,kinetic,elastic,gravity,total,max_speed,max_strain,step,cost,wind,muscle,contacts,contact"
    series = rows("series.csv")
    times = [row["time"] for row in series]
    gaps = [b - a for a, b in zip(times, times[1:])]
    assert times[0] == 0 and abs(times[-1] - 1) < 0.01 and 40 < len(times) <= 62
    assert min(gaps[:-1]) >= 1 / 60 - 1e-8 and gaps[-1] > 0
    for row in series:
        total = row["kinetic"] + row["elastic"] + row["gravity"]
        assert math.isclose(row["total"], total, rel_tol=1e-8, abs_tol=1e-8)
    assert all(row["wind"] == 0 for row in series)
    text = expect(0, "run", *SMALL, "--set", "wind=6", "--set", "wind_direction=90", "--seconds", "0.3",
                  "--csv", "blown.csv", "--json")
    work = [row["wind"] for row in rows("blown.csv")]
    assert work[0] == 0 and work[-1] > 0
    assert math.isclose(work[-1], json.loads(text)["balance"]["wind"], rel_tol=1e-5)
    text = expect(0, "run", "sphere", "--set", "rows=12", "--set", "columns=12", "--seconds", "0.5",
                  "--csv", "met.csv", "--json")
    met, end = rows("met.csv"), json.loads(text)
    assert met[0]["contacts"] == 0 and met[-1]["contacts"] == end["contacts"] > 3
    assert math.isclose(met[-1]["contact"], end["balance"]["contact"], rel_tol=1e-5)
    assert all(b["contact"] <= a["contact"] for a, b in zip(met, met[1:])) and met[-1]["contact"] < 0
    expect(0, "run", *SMALL, "--steps", "0", "--csv", "start.csv")
    assert len(rows("start.csv")) == 1


def a_state_survives_the_round_trip():
    expect(0, "run", *SMALL, "--seconds", "0.3", "--state-out", "a.csv")
    expect(0, "run", *SMALL, "--steps", "0", "--state-in", "a.csv", "--state-out", "b.csv")
    with open("a.csv") as a, open("b.csv") as b:
        assert a.read() == b.read()
    # a run goes on where another one ended, to the last bit
    for more in ((), ("--integrator", "leu"), ("--set", "filter=exponential")):
        whole = json.loads(expect(0, "run", *SMALL, *more, "--steps", "400", "--json"))
        expect(0, "run", *SMALL, *more, "--steps", "150", "--state-out", "half.csv")
        half = json.loads(expect(0, "run", *SMALL, *more, "--steps", "250", "--state-in",
                                 "half.csv", "--json"))
        assert half["hash"] == whole["hash"] and half["seconds"] == whole["seconds"], more
    # also in place
    expect(0, "run", *SMALL, "--steps", "5", "--state-in", "a.csv", "--state-out", "a.csv")
    assert rows("a.csv") != rows("b.csv")
    expect(1, "run", "--steps", "0", "--state-in", "a.csv", says=["a.csv"])  # another cloth
    expect(1, "run", "--steps", "0", "--state-in", "none.csv", says=["none.csv"])


def replay(path, *more, code=0, says=()):
    return json.loads(expect(code, "run", "--replay", path, "--json", *more, says=says))


def a_recording_replays_to_the_same_bits():
    done = json.loads(expect(0, "run", "curtain", *SMALL, "--steps", "300", "--record", "a.rec",
                             "--json"))
    assert len(done["hash"]) == 16 and int(done["hash"], 16) > 0
    assert "replay_matches" not in done
    with open("a.rec") as file:
        text = file.read()
    assert text.startswith("selvage-record 1\n") and text.endswith(f"end {done['hash']}\n"), text
    for _ in range(3):
        again = replay("a.rec")
        assert again["replay_matches"] is True and again["hash"] == done["hash"]
        assert again["steps"] == 300 and again["scene"] == "curtain"
    assert "agrees to the last bit" in expect(0, "run", "--replay", "a.rec")
    # one that diverges ends as it did then
    expect(3, "run", *UNSTABLE, "--record", "b.rec", says=["diverged"])
    assert replay("b.rec", code=3, says=["diverged"])["replay_matches"] is True
    # from other particles, too
    expect(0, "run", *SMALL, "--steps", "50", "--state-out", "half.csv")
    done = json.loads(expect(0, "run", *SMALL, "--steps", "50", "--state-in", "half.csv",
                             "--record", "c.rec", "--json"))
    os.remove("half.csv")
    assert replay("c.rec")["hash"] == done["hash"]
    # a mesh is named, not copied
    expect(0, "run", "patch", "--steps", "20", "--record", "d.rec")
    assert replay("d.rec")["replay_matches"] is True


BY_HAND = '''selvage-record 1
scene by hand
[cloth]
rows = 8
columns = 8
end scene
; lift the middle, pin it, let go
0.1 s  grab 27 0.5 0.3 0.5
0.3 s  pin 27
0.3 s  release
0.4 s  set integrator backward-euler
0.5 s  end
'''


def a_recording_may_be_written_by_hand():
    write("hand.rec", BY_HAND)
    played = replay("hand.rec", "--record", "exact.rec", "--state-out", "end.csv")
    assert played["replay_matches"] is None and played["integrator"] == "backward-euler"
    assert 0.5 <= played["seconds"] < 0.52 and rows("end.csv")[27]["pinned"] == 1
    assert rows("end.csv")[27]["y"] > 0.1
    exact = replay("exact.rec")  # with ticks and a hash now
    assert exact["replay_matches"] is True and exact["hash"] == played["hash"]
    # another version of the same name is kept
    replay("exact.rec", "--record", "exact.rec")
    with open("exact.rec") as new, open("exact.rec~") as old:
        assert new.read() == old.read()


def damaged_recordings_are_explained():
    write("hand.rec", BY_HAND)
    replay("hand.rec", "--record", "good.rec")
    with open("good.rec") as file:
        lines = file.read().splitlines(keepends=True)
    pin = next(number for number, line in enumerate(lines) if " pin 27" in line)
    # a command left out, or another value: noticed at the end
    write("bad.rec", "".join(lines[:pin] + lines[pin + 1:]))
    assert replay("bad.rec", code=1, says=["bad.rec", "recorded was"])["replay_matches"] is False
    write("bad.rec", "".join(lines).replace("grab 27", "grab 26"))
    replay("bad.rec", code=1, says=["recorded was"])
    # killed: no end, perhaps half a line
    write("bad.rec", "".join(lines[:-1]) + lines[-1][:-4])
    assert replay("bad.rec")["replay_matches"] is None
    assert "its end is cut off" in expect(0, "run", "--replay", "bad.rec")
    write("bad.rec", "".join(lines[:-1]))
    assert "it has no end" in expect(0, "run", "--replay", "bad.rec")
    for command, words in (("jump", ['"jump"', "the commands are"]),
                           ("set stretch nan", ["stretch = nan", "0.1 to 1e+06"]),
                           ("pin 64", ["no particle 64", "0 to 63"])):
        write("bad.rec", "".join(lines).replace("pin 27", command))
        expect(2, "run", "--replay", "bad.rec", says=[f"bad.rec, line {pin + 1}", *words])
    write("bad.rec", "selvage-record 7\n")
    expect(2, "run", "--replay", "bad.rec", says=["line 1", "version 7"])
    expect(2, "--replay", "bad.rec", says=["line 1", "version 7"])
    expect(1, "run", "--replay", "none.rec", says=["none.rec"])
    expect(1, "run", *SMALL, "--record", "nowhere/a.rec", says=["nowhere/a.rec"])
    expect(1, "run", *SMALL, "--record", "/dev/full", says=["/dev/full", "No space left"])
    for option in (["drape"], ["--set", "rows=3"], ["--steps", "3"], ["--seconds", "3"],
                   ["--state-in", "x.csv"]):
        expect(2, "run", "--replay", "good.rec", *option, says=["--replay"])


def analyze_gives_its_keys():
    keys = ["k0", "k_min", "omega_max", "step", "step_limit", "limit_is_bound",
            "soft_modes_may_grow", "measured_limit", "step_ratio", "mu_sigma", "alpha_limit", "alpha_is_bound",
            "stretch_limit", "rho_predicted", "rho_measured",
            "rho_residual", "rho_is_buckling", "growth_steps", "verdict", "modes"]
    stable = json.loads(expect(0, "analyze", "drape", *SMALL, "--time", "0.1", "--json"))
    assert list(stable) == keys, list(stable)
    assert stable["verdict"] == "stable" and stable["growth_steps"] is None
    assert abs(stable["step_ratio"] - stable["step"] / stable["step_limit"]) < 1e-12
    assert abs(stable["omega_max"] ** 2 - stable["k0"]) < 1e-6 * stable["k0"]
    assert len(stable["modes"]) == 8
    assert math.isclose(stable["modes"][0]["k"], stable["k0"], rel_tol=1e-8)
    # whatever the verdict, the exit code is 0
    unstable = json.loads(expect(0, "analyze", "drape", *UNSTABLE, "--json"))
    assert unstable["verdict"] == "unstable" and unstable["rho_measured"] > 1.0
    grown = math.log(1000) / math.log(unstable["rho_measured"])
    assert abs(unstable["growth_steps"] - grown) < 1e-6 * grown
    assert "verdict           unstable" in expect(0, "analyze", "drape", *UNSTABLE)
    filtered = json.loads(expect(0, "analyze", *SMALL, "--set", "filter=exponential", "--time", "3",
                                 "--json"))
    assert filtered["filter"]["measured"] == filtered["measured_limit"]
    assert math.isclose(filtered["measured_limit"], filtered["step_limit"], rel_tol=5e-3)
    # `run` gives the same number for the same state
    for more in ((), ("--set", "filter=exponential"), ("--integrator", "imex-axial")):
        run = json.loads(expect(0, "run", *SMALL, *more, "--seconds", "0.7", "--json"))
        same = json.loads(expect(0, "analyze", *SMALL, *more, "--time", "0.7", "--json"))
        assert math.isclose(run["step_limit"], same["step_limit"], rel_tol=1e-6), more
        assert run["limit_is_bound"] == same["limit_is_bound"]


def analysis(*arguments):
    return json.loads(expect(0, "analyze", *arguments, "--json"))


def settings(*assignments):
    return [word for assignment in assignments for word in ("--set", assignment)]


def automatic_steps_hold():
    """Slack springs that tighten, and damping whose modes are not those of the stiffness."""
    for scene, method, seconds, changes in (
            ("patch", "symplectic-euler", 0.3, ["model=choi-ko"]),
            ("drape", "symplectic-euler", 0.3, ["damping=difference", "alpha=0.001"]),
            ("curtain", "explicit-euler", 0.2, ["damping=difference", "alpha=auto"]),
            ("drape", "explicit-euler", 0.1, ["damping=projected", "alpha=auto"]),
            ("drape", "imex", 0.3, ["model=baraff-witkin", "shear=1000"]),
            # springs that snap taut heat the rope: at 0.8 of the limit these diverged at 2.8 and 2.5 s
            ("rope", "velocity-verlet", 4, ["model=choi-ko", "alpha=0"]),
            ("rope", "symplectic-euler", 4,
             ["model=choi-ko", "alpha=auto", "damping=projected", "filter=exponential",
              "filter_on=force", "filter_form=conserving"])):
        expect(0, "run", scene, "--integrator", method, "--seconds", str(seconds),
               *settings(*changes))
    patch = json.loads(expect(0, "run", "patch", "--set", "model=choi-ko", "--steps", "1", "--json"))
    assert patch["limit_is_bound"] and patch["step_limit"] < 0.36e-3  # 0.36 ms once they are pulled


def the_largest_stretch_is_the_limit():
    """Below it the step is allowed, above it is not; an automatic step follows any stretch."""
    small = [*settings("rows=12", "columns=12"), "--step", "0.0012"]
    limit = analysis("drape", *small)["stretch_limit"]
    text = expect(0, "analyze", "drape", *small)
    assert f"largest stretch   {limit:.4g} N/m at this step" in text, text
    below = analysis("drape", *small, *settings(f"stretch={0.998 * limit}"))
    above = analysis("drape", *small, *settings(f"stretch={1.004 * limit}"))
    assert below["step_limit"] >= 0.0012 > above["step_limit"], (below, above)
    assert abs(below["stretch_limit"] / limit - 1) < 0.003  # whatever the stretch is now
    assert abs(above["stretch_limit"] / limit - 1) < 0.003
    assert analysis("drape", *small, "--step", "auto")["stretch_limit"] is None
    assert analysis("drape", *small, "--integrator", "backward-euler")["stretch_limit"] is None


def damping_of_each_kind_is_judged():
    """Against the crossings of dense Jacobians."""
    damped = ["--set", "damping=difference", "--set", "alpha=0.001", *settings("rows=12", "columns=12")]
    limit = analysis("drape", *damped)["step_limit"]
    beyond = analysis("drape", *damped, "--step", str(1.02 * limit))
    assert beyond["verdict"] == "unstable" and beyond["alpha_limit"] < 0.001
    below = analysis("drape", *damped, "--step", str(0.98 * limit))
    assert below["verdict"] == "stable" and below["alpha_limit"] > 0.001
    projected = analysis("drape", "--integrator", "rk4", "--step", "0.00256",
                         *settings("rows=12", "columns=12", "damping=projected", "alpha=0.0003"))
    assert projected["verdict"] == "unstable"
    assert math.isclose(projected["measured_limit"], 2.487e-3, rel_tol=0.01)
    assert projected["limit_is_bound"] and projected["step_limit"] < 2.487e-3 * 1.002
    buckles = analysis("drape", "--integrator", "explicit-euler", "--step", "0.001339",
                       *settings("rows=6", "columns=9", "damping=difference", "alpha=0.001",
                                 "air=0.3"))
    assert buckles["verdict"] == "stable" and buckles["rho_is_buckling"]


def compressed_cloth_is_judged():
    """What buckles must not flip, and damps more than alpha K."""
    with open("compressed.ini", "w", encoding="utf-8") as file:
        file.write("[scene]\npins = none\nstart_stretch = 0.5\n[world]\ngravity = 0\n")
    small = settings("rows=5", "columns=5", "air=0")
    for damping, alpha in ("difference", 0.01), ("rayleigh", 0.0002):
        for method in "explicit-euler", "leu", "midpoint":
            found = analysis("compressed.ini", "--time", "0", "--integrator", method, *small,
                             *settings(f"damping={damping}", f"alpha={alpha}"))
            assert found["k_min"] < -found["k0"] and found["limit_is_bound"]
            assert 0.9 < found["step_limit"] / found["measured_limit"] < 1.002


def theory_says_what_it_knows():
    """A prediction is right or is not given."""
    for changes, grows in ((["filter_form=half", "air=0"], True), (["filter_form=half"], False),
                           (["filter_form=conserving", "air=0"], False)):
        filtered = analysis("drape", "--integrator", "backward-euler", "--time", "0.1",
                            *settings("rows=8", "columns=8", "filter=exponential",
                                      "filter_place=after", *changes))
        assert filtered["soft_modes_may_grow"] == grows and filtered["step_limit"] is None
    sequence = analysis("drape", "--integrator", "harmonic", "--time", "0.5",
                        *settings("rows=12", "columns=12", "sequence=on"))
    assert sequence["verdict"] == "stable" and sequence["rho_predicted"] is None
    assert sequence["alpha_limit"] is None and sequence["growth_steps"] is None
    pair = analysis("pair", "--integrator", "harmonic", "--step", "0.0229082",
                    "--set", "stretch=40000")
    assert math.isclose(pair["modes"][0]["rho"], 0.9903576, abs_tol=1e-6)  # along the spring
    assert math.isclose(pair["rho_predicted"], 1.0, abs_tol=1e-9)  # across it nothing is damped
    assert pair["verdict"] == "marginal" and not pair["rho_is_buckling"]
    small = settings("rows=6", "columns=6")
    assert analysis("drape", *small, "--integrator", "imex", "--step", "0.1")["rho_predicted"] is None
    full = analysis("drape", *small, "--integrator", "backward-euler", "--step", "0.01", "--time", "8",
                    "--set", "air=8")
    assert full["rho_predicted"] is None or math.isclose(full["rho_predicted"], full["rho_measured"],
                                                         rel_tol=1e-3)
    # drag at the new velocity makes the region larger
    implicit = json.loads(expect(0, "region", "symplectic-euler-implicit-air", "--at", "1,5", "--json"))
    assert implicit["verdict"] == "stable"
    expect(2, "region", "rk4", "--symbol", "0.5", "--csv", "x.csv", says=["symbol"])


def state_after(steps, *arguments):
    expect(0, "run", *arguments, "--steps", str(steps), "--state-out", "state.csv")
    with open("state.csv", newline="") as file:
        return [[float(row[name]) for name in ("x", "y", "z", "vx", "vy", "vz")]
                for row in csv.DictReader(file)]


def positions_at(time, lane, *arguments):
    """Between the last two steps of a run by itself: the cubic with the velocities of both."""
    h, s = 0.0, 1.0
    new = old = state_after(lane["steps"], *arguments)
    if lane["time"] > time:
        old = state_after(lane["steps"] - 1, *arguments)
        start = json.loads(expect(0, "run", *arguments, "--steps", str(lane["steps"] - 1),
                                  "--json"))["time"]
        h = lane["time"] - start
        s = (time - start) / h
    r = 1 - s
    return [[r * r * (1 + 2 * s) * a[i] + h * s * r * r * a[i + 3]
             + s * s * (1 + 2 * r) * b[i] - h * s * s * r * b[i + 3] for i in range(3)]
            for a, b in zip(old, new)]


def compared_errors_are_those_of_independent_runs():
    """Of five methods, to 1e-12 m: with one step for all, and with automatic steps and fine."""
    methods = ["explicit-euler", "symplectic-euler", "rk4", "backward-euler", "leu"]
    shared = [*SMALL, "--set", "alpha=0.002"]
    fine = ["--set", "integrator=rk4", "--set", "safety=0.2", "--set", "filter=off"]
    for step, reference, theirs in (("0.000244140625", "3", ["--set", "integrator=rk4"]),
                                    ("auto", "fine", fine)):
        lanes = [word for name in methods for word in ("--lane", f"integrator={name}")]
        found = json.loads(expect(0, "compare", "drape", *shared, "--step", step, *lanes,
                                  "--seconds", "0.2", "--reference", reference, "--json"))
        assert found["seconds"] == 0.2 and [lane["name"] for lane in found["lanes"]] == methods
        true = positions_at(0.2, found["reference"], "drape", *shared, "--step", step, *theirs)
        for lane in found["lanes"]:
            assert lane["verdict"] == "stable" and lane["cost"] > 0 and lane["steps"] > 5, lane
            assert lane["set"] == f"integrator={lane['name']}" and lane["energy"]["total"] < 1
            mine = positions_at(0.2, lane, "drape", *shared, "--step", step, "--integrator",
                                lane["name"])
            distance = [math.dist(a, b) for a, b in zip(mine, true)]
            rms = math.sqrt(sum(d * d for d in distance) / len(distance))
            for name, value in (("error_max", max(distance)), ("error_rms", rms)):
                assert abs(lane[name] - value) < 1e-12, (step, lane["name"], lane[name], value)


def a_comparison_is_written():
    """A diverged lane is a result; files have every sample; a table has every lane."""
    lanes = ["--lane", "integrator=rk4", "--lane", "safety=1.5", "--lane", "step=0.001 alpha=0"]
    table = expect(0, "compare", "drape", *SMALL, *lanes, "--seconds", "0.5", "--csv", "c.csv",
                   "--svg", "c.svg")
    assert "diverged at" in table and table.count("stable") == 3  # with the hidden reference
    with open("c.csv", newline="") as file:
        samples = list(csv.DictReader(file))
    assert len(samples) == 31 * 4 and {row["lane"] for row in samples} == {
        "rk4", "safety=1.5", "step=0.001 alpha=0", "fine"}
    last = {row["lane"]: row for row in samples[-4:]}
    assert float(last["rk4"]["time"]) == 0.5 and float(last["rk4"]["error_max"]) > 0
    assert last["safety=1.5"]["error_max"] == "nan" and float(last["fine"]["error_max"]) == 0
    with open("c.svg") as file:
        drawing = file.read()
    assert drawing.count("</text>") > 10 and ">rk4<" in drawing and "nan" not in drawing
    found = json.loads(expect(0, "compare", "drape", *SMALL, *lanes, "--seconds", "0.5", "--json"))
    assert found["lanes"][1]["error_max"] is None and found["lanes"][1]["verdict"] == "diverged"
    assert "diverged" in found["lanes"][1]["verdict"] and found["lanes"][1]["message"]
    assert json.loads(expect(0, "compare", *SMALL, *lanes, "--seconds", "0", "--json"))["seconds"] == 0
    for option in ("--csv", "--svg"):
        expect(1, "compare", *SMALL, *lanes, "--seconds", "0.1", option, "/dev/full",
               says=["No space left"])
        expect(1, "compare", *SMALL, *lanes, "--seconds", "1e6", option, "nowhere/x", says=["nowhere/x"])
    if has_renderer():
        expect(0, "compare", *SMALL, *lanes, "--seconds", "0.1", "--png", "c.png")
        assert png_size("c.png") == (1280, 800)


ALONE = "[scene]\ntitle = Alone\n[cloth]\nrows = 6\ncolumns = 6\n"
LANES = ALONE + '''[lane]
[lane]
integrator = rk4
[lane]
safety = 1.5
'''


def lanes_of(*arguments):
    found = json.loads(expect(0, "compare", *arguments, "--seconds", "0.2", "--json"))
    return [(lane["name"], lane["verdict"]) for lane in found["lanes"]]


def a_scene_may_have_lanes():
    write("alone.ini", ALONE)
    write("lanes.ini", LANES)
    own = [("the scene", "stable"), ("rk4", "stable"), ("safety=1.5", "diverged")]
    assert lanes_of("lanes.ini") == own == lanes_of("lanes.ini", "--reference", "rk4")
    # what they share is set for all of them; --lane stands instead of them
    assert lanes_of("lanes.ini", "--integrator", "velocity-verlet", "--set", "safety=1.5") == [
        ("the scene", "diverged"), ("rk4", "diverged"), ("safety=1.5", "diverged")]
    assert lanes_of("lanes.ini", "--lane", "alpha=0") == [("alpha=0", "stable")]
    race = json.loads(expect(0, "compare", "race", "--seconds", "0.6", "--json"))["lanes"]
    assert [lane["verdict"] for lane in race] == ["stable", "stable", "stable", "diverged"]
    assert race[0]["error_rms"] < race[1]["error_rms"] < 0.02 * race[2]["error_rms"]
    assert -0.5 < race[2]["remainder"] < -0.02 and abs(race[0]["remainder"]) < 0.005
    # one lane is what they share
    one, other = (json.loads(expect(0, "run", name, "--steps", "50", "--record", f"{name}.rec",
                                    "--json")) for name in ("alone.ini", "lanes.ini"))
    assert one["hash"] == other["hash"]
    with open("lanes.ini.rec") as file:
        assert "[lane]" not in file.read()
    assert json.loads(expect(0, "analyze", "lanes.ini", "--json"))["verdict"] == "stable"
    write("bad.ini", LANES + "[lane]\nrows = 3\n")
    expect(2, "compare", "bad.ini", says=["bad.ini, line 12", "particle by particle"])


def without_a_display_view_shows_all_lanes():
    write("lanes.ini", LANES)
    for arguments, names in ((["lanes.ini"], ["the scene ", "rk4 ", "safety=1.5 "]),
                             ([*SMALL, "--lane", "alpha=0", "--lane", "air=0", "--reference",
                               "fine"], ["alpha=0 ", "air=0 "])):
        done = selvage("view", *arguments)
        assert done.returncode == 0 and done.stderr.count("\n") == 1, done.stderr
        lines = done.stdout.splitlines()
        assert [line[:len(name)] for line, name in zip(lines[6:], names)] == names, done.stdout
        assert len(lines) == 6 + len(names) + 1 and lines[-1].startswith("fine ")
    if has_renderer():
        assert png_size("lanes.png") == png_size("drape.png") == (1280, 800)
    done = selvage("view", "lanes.ini", "--record", "lanes.rec")
    assert done.returncode == 2 and "--record" in done.stderr and "not with 3" in done.stderr
    assert not os.path.exists("lanes.rec")
    write("hand.rec", f"selvage-record 1\nscene x\n{LANES}end scene\n0.1 s  lane 1 set step 0.001\n"
                      "0.2 s  end\n")
    done = selvage("view", "--replay", "hand.rec")
    assert done.returncode == 3 and "lane 3 diverged" in done.stderr, done.stderr
    assert done.stdout == selvage("run", "--replay", "hand.rec").stdout and "rk4" in done.stdout


def an_interrupted_comparison_keeps_what_it_has():
    with subprocess.Popen([*EMULATOR, SELVAGE, "compare", *SMALL, "--lane", "alpha=0", "--seconds",
                           "100000", "--csv", "c.csv"],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        while not any(name.endswith(".part") for name in os.listdir(".")):
            time.sleep(0.02)
        time.sleep(0.2)
        process.send_signal(signal.SIGINT)
        out, complaint = process.communicate(timeout=60)
    assert process.returncode == 1 and "alpha=0" in out, out
    assert complaint.startswith("selvage: interrupted at t = ") and complaint.count("\n") == 1
    assert os.listdir(".") == ["c.csv"]


def region_is_drawn_and_asked():
    at = json.loads(expect(0, "region", "symplectic-euler", "--at", "0.5,0.25", "--json"))
    assert at["G"] == [[0.75, 0.5], [-0.25, 0.5]] and at["verdict"] == "stable"
    assert abs(at["rho"] - 0.5 ** 0.5) < 1e-15
    half = json.loads(expect(0, "region", "symplectic-euler", "--at", "0,2.9", "--symbol", "0.5",
                             "--set", "filter_place=after", "--json"))
    assert half["verdict"] == "stable"  # Y < 2 (1 + f) = 3
    half = json.loads(expect(0, "region", "symplectic-euler", "--at", "0,3.1", "--symbol", "0.5",
                             "--set", "filter_place=after", "--json"))
    assert half["verdict"] == "unstable" and half["how"] == "sign flips"
    for X, verdict in ("0.713", "unstable"), ("0.714", "stable"):  # docs/stability.md: the left edge
        at = json.loads(expect(0, "region", "rk4", "--at", f"{X},8.75", "--json"))
        assert at["verdict"] == verdict, f"{at['verdict']} at {X}"
    expect(0, "region", "rk4", "--csv", "rk4.csv", "--svg", "rk4.svg")
    edge = rows("rk4.csv")
    assert abs(max(point["Y"] for point in edge) - 8.7623) < 0.01
    with open("rk4.svg", encoding="utf-8") as file:
        drawing = file.read()
    assert drawing.startswith("<svg ") and drawing.rstrip().endswith("</svg>")
    expect(2, "region", says=["integrator", "rk4"])
    expect(2, "region", "rk5", says=["rk5", "rk4"])
    expect(2, "region", "rk4", says=["--svg"])
    expect(2, "region", "rk4", "--at", "1", says=["0.5,2"])


def bench_tells_its_goals():
    result = json.loads(expect(0, "bench", "--quick", "--json"))
    assert result["kernels"].startswith("spring_kernels_")
    lines = {line["name"]: line for line in result["lines"]}
    assert len(lines) == len(result["lines"]) > 15
    force = lines["force, 32 x 32"]
    assert math.isclose(force["ratio"], force["naive"] / force["value"], rel_tol=1e-9)
    assert force["goal_at_least"] == 3 and isinstance(force["reached"], bool)
    assert all(line["value"] > 0 for name, line in lines.items() if "ns/particle" in line["unit"])
    portable = json.loads(expect(0, "bench", "--quick", "--json", SELVAGE_NO_SIMD="1"))
    assert portable["kernels"] == "spring_kernels_portable"
    assert "goals reached" in expect(0, "bench", "--quick")
    expect(2, "bench", "drape", says=["no scene"])


def divergence_is_three_and_everything_is_written():
    text = expect(3, "run", *UNSTABLE, "--csv", "d.csv", "--state-out", "s.csv", "--json",
                  says=["diverged", "m/s"])
    data = json.loads(text)
    assert data["diverged"] and "m/s" in data["message"]
    assert len(rows("d.csv")) >= 2
    state = rows("s.csv")
    assert len(state) == 36 and all(math.isfinite(value) for row in state for value in row.values())
    assert "diverged" in expect(3, "run", *UNSTABLE)


def strain_is_looked_at_in_large_steps_too():
    soft = [word for setting in ("rows=8", "columns=8", "stretch=0.1", "shear=0.1", "bend=0",
                                 "strain_limit=0.5", "ground=-100") for word in ("--set", setting)]
    expect(3, "run", "--integrator", "backward-euler", "--step", "0.05", *soft, "--seconds", "20",
           says=["strained by more than 0.5"])


def a_full_disk_is_one():
    with open("/dev/full", "w") as full:
        for arguments in (["list"], ["list", "--json"], ["--help"], ["--version"],
                          ["run", *SMALL, "--steps", "1"], ["run", *SMALL, "--steps=1", "--json"]):
            expect(1, *arguments, stdout=full, says=["standard output", "No space left"])
    for option in ("--csv", "--state-out"):
        expect(1, "run", *SMALL, "--steps", "1", option, "/dev/full", says=["No space left"])


def a_closed_stdout_is_one():
    expect(1, "list", prepare=lambda: os.close(1), says=["standard output"])
    # and the summary is not written to the first file opened
    expect(1, "run", *SMALL, "--steps", "1", "--csv", "series.csv", prepare=lambda: os.close(1),
           says=["standard output"])
    with open("series.csv") as file:
        assert len(file.readlines()) == 3


def limit_file_size():
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # then a write beyond the limit returns an error
    resource.setrlimit(resource.RLIMIT_FSIZE, (512, 512))


def a_failure_keeps_the_old_file():
    for option in ("--csv", "--state-out"):
        write("old.csv", "precious\n")
        before = set(os.listdir("."))
        expect(1, "run", *SMALL, "--seconds", "1", option, "old.csv", prepare=limit_file_size,
               says=["old.csv"])
        with open("old.csv") as file:
            assert file.read() == "precious\n"
        assert set(os.listdir(".")) == before
        expect(0, "run", *SMALL, "--steps", "1", option, "old.csv")
        assert rows("old.csv") and set(os.listdir(".")) == before


def outputs_are_checked_before_the_work():
    forever = ["run", *SMALL, "--seconds", "1e6"]  # hours
    os.mkdir("taken")
    for option in ("--csv", "--state-out"):
        expect(1, *forever, option, "nowhere/x.csv", says=["nowhere/x.csv", "No such file"])
        expect(1, *forever, option, "taken", says=["taken", "directory"])
    expect(1, *forever, "--csv", "same.csv", "--state-out", "same.csv", says=["two outputs"])
    assert not [name for name in os.listdir(".") if "same.csv" in name]


def an_interrupted_run_keeps_what_it_has():
    with subprocess.Popen([*EMULATOR, SELVAGE, "run", *SMALL, "--seconds", "100000",
                           "--csv", "series.csv"],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        while not any(name.endswith(".part") for name in os.listdir(".")):
            time.sleep(0.02) # until it has started
        process.send_signal(signal.SIGINT)
        out, complaint = process.communicate(timeout=60)
    assert process.returncode == 1, process.returncode
    assert "outcome           interrupted at t =" in out
    assert complaint.startswith("selvage: interrupted at t = ") and complaint.count("\n") == 1
    assert os.listdir(".") == ["series.csv"] and len(rows("series.csv")) >= 1


def begin(*arguments):
    return subprocess.Popen([*EMULATOR, SELVAGE, *arguments], stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                            env=ENVIRONMENT)


def an_interrupted_view_or_pipe_leaves_nothing():
    if has_renderer():
        # 5 s of a slow cloth, pictured in drape.png
        with begin("view", "drape", "--set", "rows=96", "--set", "columns=96",
                   "--step", "1e-6") as process:
            while not any(name.endswith(".part") for name in os.listdir(".")):
                time.sleep(0.02)
            process.send_signal(signal.SIGTERM)
            _, complaint = process.communicate(timeout=60)
        assert process.returncode == 1 and "interrupted at t = " in complaint, complaint
        assert sorted(os.listdir(".")) == ["drape.png", "probe.png"], os.listdir(".")
        os.remove("drape.png")
        os.remove("probe.png")
    os.mkfifo("pipe")
    with begin("run", *SMALL, "--steps", "1", "--csv", "pipe", "--state-out", "state.csv") as process:
        while not any(name.endswith(".part") for name in os.listdir(".")):
            time.sleep(0.02)
        process.send_signal(signal.SIGINT) # nobody reads the pipe
        _, complaint = process.communicate(timeout=60)
    assert process.returncode == 1, process.returncode
    assert "pipe cannot be written: Interrupted" in complaint, complaint
    assert os.listdir(".") == ["pipe"], os.listdir(".")


def a_signal_before_the_first_step_is_told():
    caught = 1 << (signal.SIGINT - 1)
    for command in (["run"], ["compare", "--lane", "integrator=rk4"]):
        with begin(*command, "--set", "rows=256", "--set", "columns=256", "--csv", "series.csv") as process:
            while True:  # until it catches the signal
                with open(f"/proc/{process.pid}/status") as file:
                    if int(re.search(r"SigCgt:\s*(\w+)", file.read())[1], 16) & caught:
                        break
                time.sleep(0.001)
            process.send_signal(signal.SIGINT)
            _, complaint = process.communicate(timeout=50)
        assert process.returncode == -signal.SIGINT, process.returncode
        assert complaint == "selvage: interrupted before the first step\n", complaint
        assert os.listdir(".") == [], os.listdir(".")


def a_step_is_interrupted_in_the_middle():
    # one step of this cloth takes minutes
    slow = ["--set", "rows=256", "--set", "columns=256", "--set", "stretch=1e6", "--set",
            "density=0.01", "--step", "0.1", "--set", "pcg_tolerance=1e-9"]
    for command in (["run", "drape", *slow, "--integrator", "backward-euler-newton"],
                    ["compare", "drape", *slow, "--lane", "integrator=backward-euler-newton",
                     "--reference", "1"]):
        with begin(*command, "--csv", "series.csv") as process:
            while not any(name.endswith(".part") for name in os.listdir(".")):
                time.sleep(0.02)
            time.sleep(0.5)
            process.send_signal(signal.SIGTERM)
            _, complaint = process.communicate(timeout=50)
        assert process.returncode == 1, process.returncode
        assert complaint == ("selvage: interrupted at t = 0 s; what was asked for ends there\n")
        os.remove("series.csv")


def links_and_pipes_are_written_through():
    write("real.csv", "")
    os.symlink("real.csv", "link.csv")
    expect(0, "run", *SMALL, "--steps", "1", "--csv", "link.csv")
    assert os.path.islink("link.csv") and len(rows("real.csv")) == 2
    assert expect(0, "run", *SMALL, "--steps", "1", "--csv", "/dev/stderr") != ""


def works_from_anywhere():
    os.mkdir("elsewhere")
    here = os.getcwd()
    write("mine.ini", "[scene]\ntitle = Mine\n[cloth]\nrows = 3\ncolumns = 3\n")
    os.chdir("elsewhere")
    try:
        assert "mine: Mine" in expect(0, "run", "../mine.ini", "--steps", "1")
        assert "drape: " in expect(0, "run", "--steps", "1")
    finally:
        os.chdir(here)
    os.makedirs("assets/scenes")
    shutil.copy("mine.ini", "assets/scenes/drape.ini")
    assert "drape: Mine" in expect(0, "run", "--steps=1", SELVAGE_ASSETS=os.path.abspath("assets"))


def a_moved_installation_finds_its_scenes():
    os.makedirs("prefix/bin")
    shutil.copy(SELVAGE, "prefix/bin/selvage")
    shutil.copytree(SCENES, "prefix/share/selvage/scenes")
    write("prefix/share/selvage/scenes/drape.ini", "[scene]\ntitle = Moved\n")
    text = expect(0, "list", program=os.path.abspath("prefix/bin/selvage"))
    assert "Moved" in text and "Hammock" in text


def a_mesh_is_a_scene():
    square = "v 0 0 0\nv 1 0 0\nv 1 0 1\nv 0 0 1\nf 1 2 3 4\n"
    write("sheet.obj", square)
    done = selvage("run", "sheet.obj", "--steps", "3")
    assert done.returncode == 0 and "scene             sheet: sheet" in done.stdout and not done.stderr
    write("worn.obj", square + "v 5 5 5\nf 1 2 2\n")
    for command in (["run", "worn.obj", "--steps", "3"], ["analyze", "worn.obj"],
                    ["compare", "worn.obj", "--lane", "alpha=0", "--seconds", "0.01"]):
        done = selvage(*command)
        assert done.returncode == 0 and done.stderr == (
            "selvage: worn.obj: 1 unused vertex and 1 triangle without area were left out.\n"), done.stderr
    expect(1, "run", "missing.obj", says=["missing.obj"])
    write("lines.obj", "v 0 0 0\nv 1 0 0\nl 1 2\n")
    expect(1, "run", "lines.obj", says=["lines.obj", "only lines or points"])


def png_size(path):
    with open(path, "rb") as file:
        head = file.read(24)
    assert head[:8] == b"\x89PNG\r\n\x1a\n", path
    return struct.unpack(">II", head[16:24])


def without_a_display_view_makes_a_picture():
    renders = has_renderer()
    done = selvage("view", "curtain", *SMALL)
    assert done.returncode == 0, done.stderr
    assert done.stderr.startswith("selvage: ") and done.stderr.count("\n") == 1
    assert "curtain: Curtain" in done.stdout and "largest strain" in done.stdout
    assert os.path.exists("curtain.png") == renders
    assert selvage(*UNSTABLE).returncode == 3
    if renders:
        assert png_size("curtain.png") == (1280, 800)
        assert png_size("drape.png") == (1280, 800)  # of the last good state
        os.remove("drape.png")
        os.remove("probe.png")
        os.mkdir("drape.png")
        done = selvage(*SMALL)
        assert done.returncode == 1 and "drape.png" in done.stderr.splitlines()[-1]
    # what is recorded there replays, with and without a window
    assert selvage("view", "curtain", *SMALL, "--record", "view.rec").returncode == 0
    assert replay("view.rec")["replay_matches"] is True
    done = selvage("--replay", "view.rec")
    assert done.returncode == 0 and "agrees to the last bit" in done.stdout


FAKE_FFMPEG = """#!/bin/sh
printf '%s\\n' "$@" >arguments
for last; do :; done
{}
"""


def fake_ffmpeg(action):
    """A PATH with an ffmpeg that does this; "$last" is the file it should write."""
    os.makedirs("bin", exist_ok=True)
    write("bin/ffmpeg", FAKE_FFMPEG.format(action))
    os.chmod("bin/ffmpeg", 0o755)
    return os.path.abspath("bin") + ":" + ENVIRONMENT["PATH"]


def frames_of(path, size=320 * 320 * 3):
    with open(path, "rb") as file:
        data = file.read()
    assert len(data) % size == 0, len(data)
    return [data[i:i + size] for i in range(0, len(data), size)]


def a_video_has_a_frame_per_simulated_time():
    if not has_renderer():
        expect(2, "run", "--video", "a.mp4", says=["--video", "renderer"])
        return
    path = fake_ffmpeg('cat >"${last#file:}"')
    film = ["run", *SMALL, "--size", "320x320", "--seconds", "0.5"]
    expect(0, *film, "--video", "a.mp4", "--fps", "10", PATH=path)
    with open("arguments") as file:
        words = file.read().split("\n")
    for option, value in (("-video_size", "320x320"), ("-framerate", "10"), ("-pixel_format", "rgb24")):
        assert words[words.index(option) + 1] == value, words
    few = frames_of("a.mp4")
    assert len(few) in (5, 6) and len(set(few)) == len(few)  # at 0, 0.1, ...
    # twice as many frames: every other one is the same to the last pixel
    expect(0, *film, "--video", "a.mp4", "--fps", "20", PATH=path)
    assert frames_of("a.mp4")[::2][:5] == few[:5]
    # a step that is longer than a frame: interpolated, so that all differ
    expect(0, *film, "--video", "b.webm", "--fps", "30", "--integrator", "backward-euler", "--step",
           "0.1", PATH=path)
    assert len(set(frames_of("b.webm"))) == 16
    # the same from a recording of it
    expect(0, *film[:-2], "--seconds", "0.3", "--record", "run.rec")
    expect(0, "run", "--replay", "run.rec", "--size", "320x320", "--fps", "10", "--video", "c.mkv",
           PATH=path)
    assert frames_of("c.mkv") == few[:len(frames_of("c.mkv"))] and len(frames_of("c.mkv")) >= 3
    # of lanes, side by side
    write("lanes.rec", "selvage-record 1\nscene two\n[cloth]\nrows = 6\ncolumns = 6\n[lane]\n"
          "integrator = rk4\n[lane]\nalpha = 0\nend scene\n0.1 s set gravity 3\n0.25 s end\n")
    expect(0, "run", "--replay", "lanes.rec", "--size", "320x320", "--fps", "10", "--video", "l.mp4",
           PATH=path)
    assert len(set(frames_of("l.mp4"))) == 3
    before = json.loads(expect(0, "run", "--replay", "lanes.rec", "--json"))
    assert json.loads(expect(0, "run", "--replay", "lanes.rec", "--json", "--size", "320x320",
                             "--video", "l.mp4", PATH=path)) == before
    # what there is of it, when it diverges or is interrupted
    expect(3, "run", *UNSTABLE, "--size", "320x320", "--video", "d.gif", PATH=path)
    assert frames_of("d.gif")
    process = subprocess.Popen([*EMULATOR, SELVAGE, "run", *SMALL, "--size", "320x320", "--seconds",
                                "100000", "--video", "e.mp4"], stderr=subprocess.PIPE,
                               stdout=subprocess.DEVNULL, env={**ENVIRONMENT, "PATH": path})
    part = f"e.mp4.{process.pid}.part"
    until = time.monotonic() + 60
    while time.monotonic() < until and not (os.path.exists(part) and os.path.getsize(part) > 1e6):
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, error = process.communicate(timeout=60)
    assert process.returncode == 1 and b"interrupted" in error, error
    assert len(frames_of("e.mp4")) > 3 and not os.path.exists(part)


def a_video_that_fails_leaves_nothing():
    if not has_renderer():
        return
    film = ["run", *SMALL, "--size", "320x320", "--seconds", "0.5"]
    write("old.mp4", "old")
    os.makedirs("empty")
    for action, words in (
            ("cat >/dev/null; echo one >&2; echo 'x.mp4: No space left on device' >&2; exit 1",
             ["x.mp4: No space left on device"]),
            ("head -c 1000000 >\"${last#file:}\"; echo disk full >&2; exit 1", ["disk full"]),
            ("exit 7", ["exit code 7"]),
            ("cat >/dev/null; kill -SEGV $$", ["signal 11"])):
        expect(1, *film, "--video", "old.mp4", says=["ffmpeg made no video", *words],
               PATH=fake_ffmpeg(action))
        assert read_text("old.mp4") == "old"
        assert not [name for name in os.listdir() if name.endswith(".part")], os.listdir()
    expect(1, *film, "--video", "new.mp4", says=["no ffmpeg", "install"],
           PATH=os.path.abspath("empty"))
    path = fake_ffmpeg("touch started; cat >/dev/null")
    expect(2, *film, "--video", "new.avi", says=[".mp4, .mkv, .mov, .webm or .gif"], PATH=path)
    expect(2, *film[:-4], "--size", "321x320", "--video", "new.mp4", says=["even"], PATH=path)
    expect(2, *film, "--fps", "10", says=["--video"])
    expect(2, *film, "--fps", "0", "--video", "new.mp4", says=["1 to 240"])
    expect(1, *film, "--video", "nowhere/new.mp4", says=["nowhere/new.mp4"], PATH=path)
    assert not os.path.exists("started") and not os.path.exists("new.mp4")


def ffmpeg_itself_makes_videos():
    if not has_renderer() or not shutil.which("ffmpeg"):
        return
    for name in ("a b.mp4", "c.gif"):
        expect(0, "run", *SMALL, "--size", "320x320", "--seconds", "0.2", "--video", name)
        assert os.path.getsize(name) > 1000
    assert open("c.gif", "rb").read(6) == b"GIF89a" and open("a b.mp4", "rb").read(8)[4:] == b"ftyp"


def run_pictures_the_end():
    if has_renderer():
        expect(3, "run", *UNSTABLE, "--png", "end.png", says=["diverged"])
        assert png_size("end.png") == (1280, 800)
        expect(1, "run", *SMALL, "--png", "nowhere/x.png", says=["nowhere/x.png"])
    else:
        expect(2, "run", "--png", "end.png", says=["--png", "renderer"])
        assert not os.path.exists("end.png")


def lessons_are_listed_run_and_checked():
    names = [row["name"] for row in json.loads(expect(0, "list", "lessons", "--json"))["lessons"]]
    assert len(names) >= 12 and names == sorted(names)
    for name in names:
        assert name in expect(0, "list", "lessons")
    printed = expect(0, "run", "--lesson", "02-step-limit")
    assert printed.count("promise") == 5 and "diverged" in printed, printed
    text = "[lesson]\ntitle = T\n[step]\nscene = spring\ncaption = c\nrun = 0.1 s\npromise = rho > 2\n"
    with open("mine.ini", "w") as file:
        file.write(text)
    printed = expect(1, "run", "--lesson", "mine.ini", says=['mine.ini, line 7: "rho > 2" is promised'])
    assert "step 1, line 3: stable at 0.1 s; not as promised" in printed, printed
    with open("mine.ini", "w") as file:
        file.write(text.replace("rho > 2", "roh > 2"))
    expect(2, "run", "--lesson", "mine.ini", says=['line 7: promise: there is no value "roh"'])
    expect(2, "run", "--lesson", "nothing", says=["there is no lesson"])
    expect(2, "run", "drape", "--lesson", "mine.ini", says=["does not go with drape"])


CASES = [one_step_agrees_with_the_reference, mistakes_get_one_sentence_and_two,
         bad_scene_files_are_explained, help_and_version_go_to_stdout, list_names_everything,
         lessons_are_listed_run_and_checked, links_of_the_documents_lead_somewhere,
         the_table_of_integrators_is_what_the_program_lists,
         the_documents_show_what_the_program_prints,
         every_scene_runs, the_summary_adds_up,
         whole_steps_end_nearest_to_the_seconds, a_rewind_costs_no_simulated_time,
         the_last_setting_wins, the_series_has_its_rows, a_state_survives_the_round_trip,
         a_recording_replays_to_the_same_bits, a_recording_may_be_written_by_hand,
         damaged_recordings_are_explained, analyze_gives_its_keys, automatic_steps_hold,
         the_largest_stretch_is_the_limit, damping_of_each_kind_is_judged,
         compressed_cloth_is_judged, theory_says_what_it_knows,
         compared_errors_are_those_of_independent_runs, a_comparison_is_written,
         a_scene_may_have_lanes, without_a_display_view_shows_all_lanes,
         an_interrupted_comparison_keeps_what_it_has,
         region_is_drawn_and_asked,
         bench_tells_its_goals, divergence_is_three_and_everything_is_written,
         strain_is_looked_at_in_large_steps_too, a_full_disk_is_one,
         a_closed_stdout_is_one, a_failure_keeps_the_old_file, outputs_are_checked_before_the_work,
         an_interrupted_run_keeps_what_it_has, an_interrupted_view_or_pipe_leaves_nothing,
         a_step_is_interrupted_in_the_middle, a_signal_before_the_first_step_is_told,
         links_and_pipes_are_written_through,
         works_from_anywhere,
         a_moved_installation_finds_its_scenes, a_mesh_is_a_scene, without_a_display_view_makes_a_picture,
         run_pictures_the_end, a_video_has_a_frame_per_simulated_time,
         a_video_that_fails_leaves_nothing, ffmpeg_itself_makes_videos]
run_cases(CASES)
