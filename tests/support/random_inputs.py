"""Seeded random input for the window, as a child at mouse and keyboard might give it: every key of
F1's list and others, the mouse with all buttons and the wheel everywhere, text into values, window
sizes, and dropped files, good and broken. Nothing that quits. And how much memory the window uses
when all of it is over."""
import os
import shutil
import statistics
import struct
import subprocess
import time

from support.x11 import drop

# F1's list, keys of lists and fields, and some that mean nothing.
KEYS = ["space", "s", "r", "Left", "Right", "Home", "End", "z", "y", "b", "i", "a", "v", "1", "2",
        "3", "4", "l", "Next", "Prior", "f", "p", "w", "t", "plus", "minus", "equal", "KP_Add",
        "KP_Subtract", "0", "c", "F1", "F2", "F3", "Tab", "F9", "F11", "F12", "Escape", "Return",
        "KP_Enter", "Up", "Down", "BackSpace", "Delete", "q", "x", "F5", "period", "Menu"]
# Those that do much with a modifier.
CHORDS = ["ctrl+z", "ctrl+z", "ctrl+shift+z", "ctrl+y", "ctrl+s", "ctrl+c", "ctrl+p", "ctrl+Left",
          "ctrl+Right", "shift+Left", "shift+Right", "ctrl+plus", "ctrl+plus", "ctrl+minus",
          "ctrl+0", "shift+F12", "ctrl+a", "ctrl+v", "shift+Tab"]
MODIFIERS = ["ctrl+", "shift+", "alt+", "ctrl+shift+", "ctrl+alt+"]
# Into a value, or wherever it goes: numbers, with units and without, and nonsense.
WORDS = ["0", "1e-3", "0.02", "300", "-5", "nan", "inf", "4e9", "auto", "max", "620us", "0.62 ms",
         "80%", "1e-3s", "1e400", "1e-400", "12 12", "--", "banana", "%s%n%d", "e", ".", "1,5",
         "99999999999999999999999999999999999999999999999999999999999999"]
SIZES = [(900, 700), (1024, 640), (320, 200), (160, 160), (1, 1), (1000, 300), (170, 780),
         (1600, 1000), (2200, 1400)]

SCENE = """[cloth]
rows = {rows}
columns = {columns}
"""
LANES = """
[lane]
integrator = explicit-euler
step = 0.02

[lane]
integrator = backward-euler
"""
LESSON = """[lesson]
title = A lesson that was dropped
about = for a test
[step]
scene = pair
run = 0.2 s
caption = *One*: rho is {rho}
plot = energy
[step]
ask = Which?
equation = \\frac{1}{2} \\omega
set = step=0.1
run = 1 s
caption = Two
"""
RECORDING = ("selvage-record 1\nscene film\n" + SCENE.format(rows=5, columns=6) +
             "end scene\n9 s end\n")
SQUARE = "v 0 0 0\nv 1 0 0\nv 1 0 1\nv 0 0 1\nv 5 5 5\nf 1 2 3 4\n"


class RandomInputs:
    """`random` decides all; `folder` gets the files to drop. `assets` has lessons and scenes, and
    `more` are files of one's own to drop."""

    def __init__(self, random, folder, screen, assets, more=()):
        self.random, self.folder, self.screen = random, folder, screen
        self.size = screen  # of the window
        self.good = [self.write("scarf.ini", SCENE.format(rows=7, columns=5)),
                     self.write("two lanes.ini", SCENE.format(rows=6, columns=6) + LANES),
                     self.write("sheet.obj", SQUARE), self.write("film.rec", RECORDING),
                     self.write("told.ini", LESSON), *more]
        for kind in ("scenes", "lessons"):
            there = os.path.join(assets, kind)
            self.good += [os.path.join(there, name) for name in sorted(os.listdir(there))
                          if name.endswith(".ini")]

    def write(self, name, data):
        path = os.path.join(self.folder, name)
        with open(path, "wb") as file:
            file.write(data.encode() if isinstance(data, str) else data)
        return path

    def dropped(self):
        """The paths that are dropped at once."""
        random = self.random
        kind, path = random.random(), random.choice(self.good)
        if kind < 0.6:
            return [path]
        if kind < 0.65:
            return [path, random.choice(self.good)]
        if kind < 0.7:
            return [random.choice([os.path.join(self.folder, "missing.ini"), self.folder,
                                   "/dev/null", path + "/x", "/" + 300 * "long " + ".ini"])]
        return [self.broken(path)]

    def broken(self, path):
        """A copy with a mistake: cut off, or with a line or bytes that do not belong there."""
        random = self.random
        with open(path, "rb") as file:
            data = file.read()
        at = random.randrange(len(data) + 1)
        kind = random.randrange(5)
        if kind == 0:
            data = data[:at]
        elif kind == 1:
            data = data[:at] + bytes(random.randrange(256) for _ in range(4)) + data[at:]
        elif kind == 2:
            lines = data.split(b"\n")
            random.shuffle(lines)
            data = b"\n".join(lines)
        elif kind == 3:
            data = data[:at] + random.choice([b"\0", b"-1", b"1e999", b"nan", b"[", b"=", b"\xff",
                                              b"\n[lane]\n", b"{", 5000 * b"x"]) + data[at:]
        else:
            data = data[:at] + data[at:].replace(b"1", b"-7").replace(b"=", b" ")
        return self.write("broken" + os.path.splitext(path)[1], data)

    def place(self):
        """Mostly where there is something: bars, panels, the timeline, the cloth."""
        width, height = (min(a, b) for a, b in zip(self.size, self.screen))
        across, down = self.random.randrange(width), self.random.randrange(height)
        kind = self.random.random()
        if kind < 0.15:
            return across, self.random.randrange(50)  # scenes, lessons, lamp, speed
        if kind < 0.35:
            return min(self.random.randrange(270), width - 1), down  # controls
        if kind < 0.5:
            return max(width - 1 - self.random.randrange(300), 0), down  # readouts, plots
        if kind < 0.6:
            return across, max(height - 1 - self.random.randrange(80), 0)  # timeline and bar
        if kind < 0.8:  # cloth
            return (int(width * self.random.uniform(0.35, 0.65)),
                    int(height * self.random.uniform(0.2, 0.7)))
        return across, down

    def key(self):
        random, kind = self.random, self.random.random()
        if kind < 0.35:
            return random.choice(CHORDS)
        name = random.choice(KEYS)
        if kind < 0.85:
            return name
        modifier = random.choice(MODIFIERS)
        return name if name == "q" else modifier + name  # Ctrl Q quits

    def drag(self):
        random, (width, height) = self.random, self.screen
        (x, y), button = self.place(), random.choice([1, 1, 1, 2, 3])
        dx, dy = random.randrange(-300, 300), random.randrange(-200, 200)
        if random.random() < 0.3:
            dy = 0  # along a slider or the timeline
        steps, slowly = random.randrange(2, 12), random.random() < 0.4  # frames on the way
        shift = random.random() < 0.15
        lines = [f"mousemove {x} {y}"] + ["keydown shift"] * shift + [f"mousedown {button}"]
        for step in range(1, steps + 1):
            lines.append(f"mousemove {min(max(x + dx * step // steps, 0), width - 1)} "
                         f"{min(max(y + dy * step // steps, 0), height - 1)}"
                         + " sleep 0.02" * slowly)
            if random.random() < 0.02:  # a key in the middle of it
                lines.append(f"key --delay 0 {self.key()}")
        return lines + [f"mouseup {button}"] + ["keyup shift"] * shift

    def gesture(self):
        """Lines for xdotool, with WINDOW for its id; or files to drop: ("drop", [path])."""
        random, kind = self.random, self.random.random()
        x, y = self.place()
        wait = random.choice(["", "", " sleep 0.03", " sleep 0.1"])
        if kind < 0.25:
            return [f"key --delay 0 {self.key()}{wait}"]
        if kind < 0.5:
            button = random.choice([1, 1, 1, 1, 1, 2, 3])
            return [f"mousemove {x} {y}", f"click {button}{wait}"]
        if kind < 0.54:
            return [f"mousemove {x} {y}", f"click --repeat 2 --delay 30 1{wait}"]
        if kind < 0.58:
            turn = random.choice([4, 5])
            return [f"mousemove {x} {y}",
                    f"click --repeat {random.randrange(1, 9)} --delay 5 {turn}"]
        if kind < 0.64:
            word = random.choice(WORDS)
            return [f"mousemove {x} {y}", f"click 1{wait}", f'type --delay 0 -- "{word}"',
                    f"key --delay 0 {random.choice(['Return', 'Return', 'Escape', 'Tab'])}{wait}"]
        if kind < 0.655 or (self.size != self.screen and kind > 0.96):
            self.size = self.screen if self.size != self.screen else random.choice(SIZES)
            return [f"windowsize WINDOW {self.size[0]} {self.size[1]}{wait}"]
        if kind < 0.67:
            return ("drop", self.dropped())
        if kind < 0.69:  # on with a lesson, if one is open
            return random.randrange(1, 6) * ["key --delay 0 Next sleep 0.05"]
        if kind < 0.9:
            return self.drag()
        return [f"mousemove {x} {y}{wait}"]


class Memory:
    """Of a process, and the rest that it could forget to give back."""

    def __init__(self, process, heap_count):
        with open(heap_count, "rb") as file:
            numbers = [row[0] for row in struct.iter_unpack("q", file.read())]
        self.heap, self.blocks, self.library_heap = numbers[:3]
        # address in the program: bytes and blocks that were asked for there
        self.sites = {address: (size, blocks) for address, size, blocks
                      in zip(numbers[4::3], numbers[5::3], numbers[6::3]) if address}
        with open(f"/proc/{process}/status") as file:
            status = dict(line.split(":", 1) for line in file)
        self.resident = int(status["VmRSS"].split()[0]) << 10
        self.threads = int(status["Threads"])
        self.files = len(os.listdir(f"/proc/{process}/fd"))

    def __str__(self):
        return (f"heap {self.heap >> 10} KB in {self.blocks} blocks, libraries' "
                f"{self.library_heap >> 10} KB, resident {self.resident >> 20} MB, "
                f"{self.threads} threads, {self.files} files")


def growth(values):
    """Per value: the median of the slopes between any two (Theil and Sen). A single jump, as of a
    cache that is filled once, does not change it."""
    return statistics.median((b - a) / (j - i) for i, a in enumerate(values)
                             for j, b in enumerate(values) if i < j)


def grows_on(values, least):
    """More in the middle than ever in the beginning, and more at the end than ever in the middle.
    What is in use more at some times than at others does not do that, nor what is filled once; or
    hardly, by less than `least`."""
    part = max(len(values) // 5, 3)
    middle = (len(values) - part) // 2
    first, second, third = values[:part], values[middle:middle + part], values[-part:]
    return max(first) < min(second) and max(second) < min(third) and min(third) - max(first) >= least


class Sites:
    """The places in a program that ask for memory, over several rounds."""

    def __init__(self, program, rounds):
        self.program = program
        self.all = {site: [memory.sites.get(site, (0, 0)) for memory in rounds]
                    for site in set().union(*(memory.sites for memory in rounds))}

    def name(self, site):
        words = subprocess.run(["addr2line", "-f", "-s", "-e", self.program, hex(site - 1)],
                               capture_output=True, text=True).stdout.split("\n")
        return f"{words[0]} ({words[-2]})"

    def leaks(self):
        """Those that have ever more blocks: lines of text. There may be one more for each of the
        four lanes; and in Dear ImGui, which is C++, some for each of its windows that was ever
        seen, of which there are some thirty."""
        found = []
        for site, pairs in self.all.items():
            values = [pair[1] for pair in pairs]
            if grows_on(values, 4):
                name = self.name(site)
                if not name.startswith("_Z") or grows_on(values, 50):
                    found.append(f"{name}: {', '.join(map(str, values))}")
        return found

    def growing(self):
        """Those whose bytes grow most, for a message."""
        slopes = sorted(((growth([pair[0] for pair in pairs]), site)
                         for site, pairs in self.all.items()), reverse=True)
        return ", ".join(f"{self.name(site)} {slope / 1024:+.0f} KB" for slope, site in slopes[:3])


class RandomSession:
    """Random inputs for one window. `work` is its working directory, for what it saves."""

    def __init__(self, window, inputs, work):
        self.window, self.inputs, self.work = window, inputs, work
        self.home = inputs.write("home.ini", SCENE.format(rows=12, columns=12))
        self.four = inputs.write("four.ini", SCENE.format(rows=12, columns=12) + 2 * LANES)
        self.count = 0

    def xdotool(self, lines):
        script = "\n".join(lines).replace("WINDOW", self.window.id) + "\n"
        done = subprocess.run(["xdotool", "-"], input=script, env=self.window.environment,
                              capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stderr
        self.count += len(lines)

    def look(self):
        """It lives, and has not complained: of memory, of OpenGL."""
        self.window.errors.seek(0)
        complaints = self.window.errors.read().decode()
        code = self.window.process.poll()
        assert code is None, f"after {self.count} inputs selvage ended with {code}: {complaints}"
        assert complaints == "", f"after {self.count} inputs: {complaints}"

    def drop(self, paths):
        try:
            drop(self.window.display, self.window.id, paths, patience=120)
        except AssertionError:
            self.look()  # why it does not answer
            raise
        self.count += 1

    def some(self):
        """About a hundred inputs."""
        lines = []
        while len(lines) < 100:
            gesture = self.inputs.gesture()
            if gesture[0] == "drop":
                self.xdotool(lines)
                self.drop(gesture[1])
                break
            lines += gesture
        else:
            self.xdotool(lines)
        self.look()

    def rest(self):
        """The same state whatever came before, reached in the same way, since buffers keep the size
        that they once needed: four lanes in a large window with large text, then a small cloth that
        is paused at its start. No file is left behind."""
        self.inputs.size = self.inputs.screen
        self.xdotool([f"mouseup {button}" for button in (1, 2, 3)] + ["keyup shift", "keyup ctrl"] +
                     ["windowsize WINDOW 1280 800", "mousemove 640 20 sleep 0.3"] +
                     8 * ["key --delay 0 Escape sleep 0.1"])
        self.end_video()
        # They run for a while, so that all copies of the cloths from before are replaced. S pauses.
        for scene, size in ((self.four, "1600 1000"), (self.home, "1280 800")):
            self.xdotool(["key s sleep 0.2"])
            self.drop([scene])
            self.xdotool([f"windowsize WINDOW {size}"] + 2 * ["key --delay 0 Escape sleep 0.2"] +
                         6 * [f"key ctrl+{'plus' if scene == self.four else 'minus'} sleep 0.1"] +
                         ["key space sleep 1.5", "key s sleep 0.2"])
        self.drop([self.home])  # and has no past
        for name in os.listdir(self.work):
            path = os.path.join(self.work, name)
            try:
                shutil.rmtree(path) if os.path.isdir(path) else os.remove(path)
            except FileNotFoundError:  # the program has just given its file its last name
                pass
        time.sleep(2)  # the lab has seen it
        self.look()

    def end_video(self):
        """If one is being made. Its file is there as soon as ffmpeg has started."""
        until = time.monotonic() + 60
        time.sleep(1)
        while any(name.endswith(".part") for name in os.listdir(self.work)):
            assert time.monotonic() < until, "the video does not end"
            self.xdotool(["key F9 sleep 3"])
