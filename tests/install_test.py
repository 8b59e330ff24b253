#!/usr/bin/env python3
"""Install into a temporary folder and use what is there: program, scenes, manual, completions.

usage: install_test.py BUILD_DIRECTORY [EMULATOR]

Reports in TAP. zsh and fish are asked if they are installed.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

BUILD = os.path.abspath(sys.argv[1])
EMULATOR = sys.argv[2:]
ENVIRONMENT = {name: value for name, value in os.environ.items()
               if name not in ("DISPLAY", "WAYLAND_DISPLAY", "SELVAGE_ASSETS", "DESTDIR")}
# nothing of the user's own is read or written
NOWHERE = tempfile.TemporaryDirectory()
ENVIRONMENT.update(HOME=NOWHERE.name, XDG_CONFIG_HOME=NOWHERE.name, XDG_STATE_HOME=NOWHERE.name)
COMMANDS = ["view", "list", "run", "analyze", "region", "bench", "compare"]


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


class Installation:
    """What `meson install` puts into a folder."""

    def __init__(self, folder):
        done = subprocess.run(["meson", "install", "-C", BUILD, "--no-rebuild", "--destdir", folder],
                              env=ENVIRONMENT, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        self.folder = folder
        self.files = [os.path.join(root, name) for root, _, names in os.walk(folder)
                      for name in names]
        self.program = self.find("bin/selvage")

    def find(self, end):
        found = [path for path in self.files if path.endswith("/" + end)]
        assert len(found) == 1, f"{end}: {found}"
        return found[0]

    def ask(self, *arguments, cwd=None):
        done = subprocess.run([*EMULATOR, self.program, *arguments], env=ENVIRONMENT, cwd=cwd,
                              capture_output=True, encoding="utf-8", timeout=120)
        assert done.returncode == 0, f"{arguments}: {done.stderr}"
        return done.stdout

    def options(self, command):
        """{name: argument or None} of a command, from its --help."""
        lines = re.findall(r"^  (--[a-z-]+)(?: (\S.*?))?  ", self.ask(command, "--help"), re.M)
        return {name: argument or None for name, argument in lines}


def the_program_runs_with_its_assets(here):
    mine = here.find("share/selvage/scenes/drape.ini")
    text = read(mine)
    with open(mine, "w", encoding="utf-8") as file:  # so that these scenes are those it finds
        file.write(re.sub(r"title *=.*", "title = Installed", text))
    with tempfile.TemporaryDirectory() as elsewhere:
        assert "Installed" in here.ask("list", cwd=elsewhere)
        assert "drape: Installed" in here.ask("run", "--steps", "3", cwd=elsewhere)
        assert "patch: " in here.ask("run", "patch", "--steps", "3", cwd=elsewhere)
    with open(mine, "w", encoding="utf-8") as file:
        file.write(text)


def the_desktop_finds_program_and_icon(here):
    entry = dict(re.findall(r"^(\w+)=(.*)$", read(here.find("share/applications/selvage.desktop")),
                            re.M))
    assert entry["Exec"].split()[0] == os.path.basename(here.program) and entry["Icon"] == "selvage"
    assert "<svg" in read(here.find("icons/hicolor/scalable/apps/selvage.svg"))
    with open(here.find("icons/hicolor/128x128/apps/selvage.png"), "rb") as file:
        assert file.read(8) == b"\x89PNG\r\n\x1a\n"


def the_manual_has_every_command_option_and_name(here):
    path = here.find("man/man1/selvage.1")
    page = read(path)
    assert "@" not in page, "a list was not filled in"
    plain = re.sub(r"\\f.", "", page).replace("\\-", "-")
    for command in COMMANDS:
        assert re.search(rf"^\.B {command}\b", plain, re.M), f"no command {command}"
        for name, argument in here.options(command).items():
            assert f"\n{name}{' ' + argument if argument else ''}\n" in plain, f"no {name} {argument}"
    lists = json.loads(here.ask("list", "--json"))
    for row in lists["parameters"] + lists["integrators"]:
        assert f"\n.B {row['name']}\n" in plain, f"no {row['name']}"
    if shutil.which("groff"):
        done = subprocess.run(["groff", "-man", "-ww", "-Tutf8", "-K", "utf8", path],
                              capture_output=True, text=True)
        assert done.returncode == 0 and not done.stderr, done.stderr
        assert len(done.stdout.splitlines()) > 100


def bash_completes(here, line):
    """What bash offers at the end of a line."""
    script = here.find("completions/selvage.bash")
    words = "COMP_WORDS=(" + " ".join(f"'{word}'" for word in re.split(r" |(=)", line)
                                      if word is not None) + ")"
    done = subprocess.run(
        ["bash", "--norc", "-c", f"source '{script}'; COMP_LINE='{line}'; COMP_POINT=${{#COMP_LINE}}; "
         f"{words}; COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); _selvage; printf '%s\\n' \"${{COMPREPLY[@]}}\""],
        env={**ENVIRONMENT, "PATH": os.path.dirname(here.program) + ":" + ENVIRONMENT["PATH"]},
        capture_output=True, text=True, cwd=here.folder)
    assert done.returncode == 0 and not done.stderr, done.stderr
    return done.stdout.splitlines()


def bash_offers_what_there_is(here):
    lists = json.loads(here.ask("list", "--json"))
    scenes = [scene["name"] for scene in lists["scenes"]]
    integrators = [row["name"] for row in lists["integrators"]]
    offered = bash_completes(here, "selvage ")
    assert set(COMMANDS) <= set(offered), offered
    assert bash_completes(here, "selvage an") == ["analyze"]
    for command in COMMANDS:
        options = bash_completes(here, f"selvage {command} --")
        assert sorted(options) == sorted(here.options(command)), f"{command}: {options}"
    assert set(bash_completes(here, "selvage --")) == set(here.options("view"))
    assert bash_completes(here, "selvage region ") == integrators
    assert bash_completes(here, "selvage run --integrator ") == integrators
    assert bash_completes(here, "selvage run --integrator=rk") == ["rk4"]
    assert bash_completes(here, "selvage list ") == ["integrators", "lessons"]
    assert bash_completes(here, "selvage --lesson ") == [row["name"] for row in lists["lessons"]]
    for name in ("my series.csv", "mine.ini", "bunny.obj"):
        open(os.path.join(here.folder, name), "w").close()
    assert bash_completes(here, "selvage run --csv my") == ["my series.csv"]
    assert {"mine.ini", "bunny.obj"} <= set(bash_completes(here, "selvage run "))
    assert "my series.csv" not in bash_completes(here, "selvage run ")
    assert bash_completes(here, "selvage --step a") == ["auto"]
    names = [row["name"] for row in lists["parameters"]]
    assert bash_completes(here, "selvage run --set ") == [name + "=" for name in names]
    assert bash_completes(here, "selvage run --set model=") == ["springs", "baraff-witkin", "choi-ko"]
    assert bash_completes(here, "selvage run --set model=ch") == ["choi-ko"]
    if not EMULATOR:  # the shell asks the program for its scenes
        assert set(scenes) <= set(offered)
        assert bash_completes(here, "selvage run dr") == ["drape"]


def zsh_and_fish_know_the_same(here):
    lists = json.loads(here.ask("list", "--json"))
    zsh, fish = here.find("site-functions/_selvage"), here.find("vendor_completions.d/selvage.fish")
    for path, option in ((zsh, "--{}"), (fish, "-l {} ")):
        text = read(path)
        assert "@" not in text.replace('"$@"', ""), "a list was not filled in"
        for command in COMMANDS:
            assert command in text
            for name in here.options(command):
                assert option.format(name[2:]) in text, f"{path}: no {name}"
        for row in lists["parameters"]:
            assert row["name"] + "=" in text, f"{path}: no {row['name']}"
        for row in lists["integrators"]:
            assert row["name"] in text, f"{path}: no {row['name']}"
    for shell, path in (("zsh", zsh), ("fish", fish)):
        if shutil.which(shell):
            done = subprocess.run([shell, "-n", path], env=ENVIRONMENT, capture_output=True, text=True)
            assert done.returncode == 0 and not done.stderr, done.stderr
    if shutil.which("fish"):
        def offered(line):
            done = subprocess.run(["fish", "--no-config", "-c", f"source '{fish}'; complete -C '{line}'"],
                                  env={**ENVIRONMENT, "HOME": os.path.dirname(fish), "PATH":
                                       os.path.dirname(here.program) + ":" + ENVIRONMENT["PATH"]},
                                  capture_output=True, text=True)
            return [row.split("\t")[0] for row in done.stdout.splitlines()]
        assert "--csv" in offered("selvage run --c") and "--csv" not in offered("selvage view --c")
        assert "rk4" in offered("selvage run --integrator rk")
        assert "model=choi-ko" in offered("selvage run --set model=c")
        assert EMULATOR or "drape" in offered("selvage run dr")


CASES = [the_program_runs_with_its_assets, the_desktop_finds_program_and_icon,
         the_manual_has_every_command_option_and_name, bash_offers_what_there_is,
         zsh_and_fish_know_the_same]


def main():
    print(f"1..{len(CASES)}", flush=True)
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        here = Installation(folder)
        for number, case in enumerate(CASES, 1):
            try:
                case(here)
                print(f"ok {number} - {case.__name__}", flush=True)
            except (AssertionError, OSError, KeyError, subprocess.SubprocessError) as reason:
                failed += 1
                print(f"not ok {number} - {case.__name__}\n# {reason}", flush=True)
    sys.exit(failed > 0)


main()
