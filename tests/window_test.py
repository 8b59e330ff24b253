#!/usr/bin/env python3
"""Use the real window like a user: Xvfb is the display, xdotool the mouse and keyboard.

usage: window_test.py [--wayland] [--one-window | --windows] PATH_OF_SELVAGE

The cases are run in two processes side by side: those that use one window after the other, and
those that open windows of their own. With --wayland the window is a client of the compositor cage, whose own output is a window on Xvfb;
cage passes mouse and keyboard events to its client.

The tests look at two things only: the screen (Xvfb keeps it in a file) and the scene file that
Ctrl+S writes. Reports in TAP.
"""
import configparser
import json
import os
import signal
import struct
import subprocess
import sys
import tempfile
import time
import traceback
from random import Random

from support.random_inputs import Memory, RandomInputs, RandomSession, Sites, growth
from support.x11 import clipboard, drop

WAYLAND = "--wayland" in sys.argv
SELVAGE = os.path.abspath(sys.argv[-1])
WIDTH, HEIGHT = 1280, 800
BOTTOM = 80  # pixels, of the timeline and the bar below it
ACCENT = (0x6C, 0xB6, 0xFF)  # the filled part of a slider, dark theme
PATIENCE = 60  # seconds; a longer wait fails
ASSETS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "assets")
# For so many minutes random inputs alone, and memory must not grow. A library counts it.
MINUTES = float(os.environ.get("SELVAGE_MINUTES", "0"))
HEAP_COUNT = os.path.join(os.path.dirname(SELVAGE), "..", "tests", "heap_count.so")
ROUND_SECONDS = 15
# In a round: bytes of the program and of its libraries, which come and go by megabytes.
MOST_GROWTH = {"heap": 500 << 10, "library_heap": 5 << 20}
# The cloth's parameters, NAME=VALUE ...: sanitizers make steps slow, ThreadSanitizer so slow that a
# hand that pulls the default cloth takes more than a minute to arrive.
CLOTH = [word for value in os.environ.get("SELVAGE_CLOTH", "").split() for word in ("--set", value)]


class Screen:
    """The display's pixels, read from Xvfb's framebuffer file (an XWD image)."""

    def __init__(self, path):
        with open(path, "rb") as file:
            data = file.read()
        head = struct.unpack(">25I", data[:100])
        self.width, self.height, self.stride = head[4], head[5], head[12]
        start = head[0] + head[19] * 12  # header, then the colour map
        self.pixels = data[start:start + self.stride * self.height]

    def at(self, x, y):
        offset = y * self.stride + 4 * x
        blue, green, red = self.pixels[offset:offset + 3]
        return red, green, blue

    def region(self, x, y, width, height):
        return [self.at(i, j) for j in range(y, y + height) for i in range(x, x + width)]

    def raw(self, x, y, width, height):
        """To compare only, and soon read: blue, green and red of each row."""
        starts = (j * self.stride + 4 * x for j in range(y, y + height))
        rows = [self.pixels[start:start + 4 * width] for start in starts]
        return [row[i::4] for row in rows for i in range(3)]


def is_cloth(colour):
    """The cloth's front (red) or back (blue) in any light, not the grey floor and panels."""
    red, green, blue = colour
    return red > 1.5 * max(green, blue) + 10 or blue > 1.35 * red + 15


def is_ball(colour):
    return min(colour) > 90 and max(colour) - min(colour) < 45


class Window:
    """One run of selvage, with functions for input and for looking at the screen."""

    def __init__(self, display, framebuffer, folder, *arguments, home=None, environment=None):
        self.display = display
        self.framebuffer = framebuffer
        self.folder = folder
        # nothing of the user's own is read or written, and no window remembers another one
        self.home = home or tempfile.mkdtemp(dir=folder)
        self.environment = dict(os.environ, DISPLAY=display, HOME=self.home, SELVAGE_GL_CHECK="1",
                                XDG_CONFIG_HOME=os.path.join(self.home, "config"),
                                XDG_STATE_HOME=os.path.join(self.home, "state"))
        self.own_environment = dict(self.environment, **environment or {})  # the program's
        self.errors = tempfile.TemporaryFile()
        if WAYLAND:
            self.start_in_compositor(arguments)
        else:
            self.start(arguments)
        self.wait(lambda: self.cloth_pixels() > 3000)
        self.xdotool("windowfocus", self.id, check=False)

    def start(self, arguments):
        self.process = subprocess.Popen([SELVAGE, "view", *arguments], cwd=self.folder,
                                        env=self.own_environment, stderr=self.errors)
        found = self.wait(lambda: self.xdotool("search", "--name", "Selvage", check=False))
        self.id = found.split()[0]

    def start_in_compositor(self, arguments):
        """cage shows its one client full screen and ends with it. With -d the client draws no frame
        around its window, which cage would not show but leave room for."""
        shown = dict(self.own_environment, WLR_BACKENDS="x11", WLR_RENDERER="pixman",
                     XDG_RUNTIME_DIR=self.folder,
                     LIBGL_ALWAYS_SOFTWARE="1")  # Mesa must not look for a card and print warnings
        # Only the client's messages count, and it must not find the X display.
        client = ["sh", "-c", f'exec env --unset=DISPLAY "$0" "$@" 2>&{self.errors.fileno()}']
        self.process = subprocess.Popen(["cage", "-d", "--", *client, SELVAGE, "view", *arguments],
                                        cwd=self.folder, env=shown, stderr=subprocess.DEVNULL,
                                        pass_fds=[self.errors.fileno()])
        self.xdotool("mousemove", WIDTH // 2, HEIGHT // 2)

        def window_under_mouse():  # cage's window has no name to search for
            place = self.xdotool("getmouselocation", "--shell")
            id = place.split("WINDOW=")[1].strip()
            size = self.xdotool("getwindowgeometry", "--shell", id)
            return id if f"WIDTH={WIDTH}" not in size else None
        self.id = self.wait(window_under_mouse)
        self.xdotool("windowsize", "--sync", self.id, WIDTH, HEIGHT)

    def xdotool(self, *words, check=True):
        done = subprocess.run(["xdotool", *map(str, words)], env=self.environment,
                              capture_output=True, text=True, timeout=PATIENCE)
        if check and done.returncode:
            raise AssertionError(f"xdotool {words}: {done.stderr}")
        return done.stdout

    def wait(self, condition, patience=PATIENCE):
        """Poll until the condition is true, and return its value."""
        until = time.monotonic() + patience
        while True:
            if self.process.poll() is not None:
                self.errors.seek(0)
                raise AssertionError(f"selvage ended with {self.process.returncode}: "
                                     f"{self.errors.read().decode()}")
            value = condition()
            if value:
                return value
            assert time.monotonic() < until, "waited in vain"
            time.sleep(0.1)

    @staticmethod
    def comes(condition, patience=5):
        """Whether the condition becomes true soon."""
        until = time.monotonic() + patience
        while not (done := condition()) and time.monotonic() < until:
            time.sleep(0.1)
        return done

    def repeat(self, act, condition):
        """Act, and again where slow frames lost it, until the condition is true."""
        def has_worked():
            act()
            return self.comes(condition)
        self.wait(has_worked)

    def screen(self):
        return Screen(self.framebuffer)

    def cloth_pixels(self):
        screen = self.screen()
        return sum(is_cloth(screen.at(x, y)) for y in range(60, HEIGHT - BOTTOM, 4)
                   for x in range(280, WIDTH - 280, 4)) * 16

    def move(self, x, y):
        self.xdotool("mousemove", x, y)
        time.sleep(0.1)

    def drag(self, start, end, button=1, pause=0.0):
        self.move(*start)
        time.sleep(0.2)
        self.xdotool("mousedown", button)
        time.sleep(0.1)
        for step in range(1, 11):
            self.move(*(round(a + (b - a) * step / 10) for a, b in zip(start, end)))
        time.sleep(0.2 + pause)
        self.xdotool("mouseup", button)
        time.sleep(0.2)

    def key(self, name):
        self.xdotool("key", name)
        time.sleep(0.2)

    def saved_sections(self):
        """The scene as Ctrl+S writes it: [what lanes share, lane, lane, ...], each {name: text}."""
        path = os.path.join(self.folder, "drape-edited.ini")
        if os.path.exists(path):
            os.remove(path)

        def written():  # may take several tries: a text field may still be active
            self.key("ctrl+s")
            time.sleep(0.3)
            return os.path.exists(path)
        self.wait(written)
        with open(path) as file:
            scene, *lanes = file.read().split("\n[lane]\n")
        sections = []
        for text in (scene, *("[lane]\n" + lane for lane in lanes)):
            parser = configparser.ConfigParser(interpolation=None, inline_comment_prefixes=(";",))
            parser.read_string(text)
            sections.append({key: value for section in parser.sections()
                             for key, value in parser[section].items()})
        return sections

    def saved(self):
        """The scene and its parameters, without lanes."""
        return self.saved_sections()[0]

    def sliders(self):
        """Sliders of the left panel, from the top: (y, first x, last x of the blue part)."""
        screen, rows, y = self.screen(), [], 60
        while y < HEIGHT - BOTTOM:
            # two pixels thick: the edge of a button is one
            blue = [x for x in range(0, 266) if screen.at(x, y) == screen.at(x, y + 1) == ACCENT]
            if len(blue) > 4 and blue[-1] - blue[0] + 1 == len(blue) and blue[0] < 24:
                rows.append((y, blue[0], blue[-1]))
                y += 10
            y += 1
        return rows

    def recent(self):
        """Names of the files that were opened, the newest first."""
        path = os.path.join(self.home, "state", "selvage", "recent")
        if not os.path.exists(path):
            return []
        with open(path) as file:
            return [os.path.basename(line.strip()) for line in file]

    def end(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.errors.close()


def find_cloth(window, row):
    """Middle of the cloth on a row of the screen."""
    screen = window.screen()
    columns = [x for x in range(290, WIDTH - 290) if is_cloth(screen.at(x, row))]
    assert columns, f"no cloth on row {row}"
    return columns[len(columns) // 2], row


def middle_of_cloth(window):
    screen = window.screen()
    rows = [y for y in range(60, HEIGHT - BOTTOM, 4)
            if any(is_cloth(screen.at(x, y)) for x in range(290, WIDTH - 290, 4))]
    assert rows, "no cloth on the screen"
    return find_cloth(window, rows[len(rows) // 2])


def point_at(window, spot):
    """Move the mouse to a spot on the cloth, and wait until the window marks a particle there."""
    def white():
        around = window.screen().region(spot[0] - 24, spot[1] - 24, 48, 48)
        return sum(min(colour) > 230 for colour in around)
    for patience in range(1, 11):  # a late frame may still show the mark of before
        window.move(20, 70)
        time.sleep(0.4 * patience)
        before, until = white(), time.monotonic() + 2 * patience
        window.move(*spot)
        while time.monotonic() < until:
            if white() > before + 10:
                return
            time.sleep(0.1)
    raise AssertionError(f"no particle is marked at {spot}")


def dragging_moves_the_cloth(window):
    """A grabbed particle follows the mouse and pulls the cloth; released, it swings back."""
    for _ in range(3):  # on a busy machine a press may come before the frame that it is meant for
        pause_facing(window)  # so that the cloth is still there when the mouse is
        start = middle_of_cloth(window)
        target = (start[0] + 150, start[1] - 40)
        point_at(window, start)
        before = window.screen()
        window.xdotool("mousedown", 1)
        window.move(start[0] + 15, start[1] - 4)
        window.key("space")
        for step in range(1, 11):
            window.move(start[0] + 15 * step, start[1] - 4 * step)

        def arrived():
            spot = window.screen().region(target[0] - 30, target[1] - 30, 60, 60)
            return sum(map(is_cloth, spot)) > 1200
        if window.comes(arrived, 15):
            break
        window.xdotool("mouseup", 1)
        window.key("r")
    else:
        raise AssertionError("the cloth does not follow the mouse")
    time.sleep(1)  # a single particle torn far from its neighbours would snap back at 100 m/s
    held = window.screen()
    window.xdotool("mouseup", 1)
    window.key("r")
    region = (290, 60, WIDTH - 580, HEIGHT - 60 - BOTTOM)
    changed = sum(is_cloth(a) != is_cloth(b)
                  for a, b in zip(before.region(*region), held.region(*region)))
    assert changed > 2000, f"only {changed} pixels changed"


def a_ball_can_be_dragged(window):
    """The ball under the mouse follows it and is in the recording, which replays to the same."""
    path = os.path.join(window.folder, "ball.rec")
    scene = os.path.join(window.folder, "ball.ini")
    with open(scene, "w") as file:
        file.write("[cloth]\nrows = 8\ncolumns = 8\nsize = 0.3\n"
                   "[collider]\ncentre = 1.2 0 0.2\nradius = 0.3\n")
    session = another(window, scene, "--record", path)
    try:
        def ball():
            screen = session.screen()
            at = [(x, y) for x in range(290, WIDTH - 290, 4) for y in range(60, HEIGHT - BOTTOM, 4)
                  if is_ball(screen.at(x, y))]
            return len(at) > 100 and (sum(x for x, _ in at) // len(at), sum(y for _, y in at) // len(at))
        x, y = session.wait(ball)
        session.move(x, y)
        time.sleep(0.3)
        session.xdotool("mousedown", 1)
        for step in range(1, 9):
            session.move(x - 10 * step, y - 5 * step)
        session.wait(lambda: (ball() or (x, y))[0] < x - 60)
        session.xdotool("mouseup", 1)
        time.sleep(0.3)
        session.key("ctrl+q")
        assert session.process.wait(timeout=PATIENCE) == 0
    finally:
        session.end()
    with open(path) as file:
        text = file.read()
    assert " take 0 " in text and " move " in text and " release" in text, text[-400:]
    done = subprocess.run([SELVAGE, "run", "--replay", path], capture_output=True, text=True,
                          timeout=120)
    assert done.returncode == 0 and "agrees" in done.stdout, done.stderr


def pause(window):
    """One step, then it rests; wait until the cloth holds still: a busy window is late, and may
    take a second for a frame."""
    window.key("s")
    settled(window, (290, 60, WIDTH - 580, HEIGHT - 60 - BOTTOM))


def settled(window, region):
    """The pixels of a place once they no longer change over 1.5 s: what rests is drawn once more,
    with every detail, so one state has one picture."""
    seen, since = [None], [time.monotonic()]

    def still():
        last, seen[0] = seen[0], window.screen().raw(*region)
        if last != seen[0]:
            since[0] = time.monotonic()
        return time.monotonic() - since[0] > 1.5
    window.wait(still)
    return seen[0]


def run(window):
    """Time goes on: the top bar shows it. A busy display may have lost a key of before."""
    def clock():
        return window.screen().region(540, 5, 300, 36)
    for _ in range(5):
        before, until = clock(), time.monotonic() + 3
        while time.monotonic() < until:
            if clock() != before:
                return
            time.sleep(0.1)
        window.key("space")
    raise AssertionError("it does not run")


def pause_facing(window):
    """Pause while the cloth faces us: edge-on, it hides what is behind it. It swings at first."""
    run(window)
    for _ in range(20):
        window.wait(lambda: window.cloth_pixels() > 60000)
        pause(window)
        if window.cloth_pixels() > 45000:
            return
        window.key("space")
    raise AssertionError("the cloth never faces us")


def a_hand_waits_while_paused(window):
    """Paused, a drag shows where the hand wants to go, and nothing else moves; steps follow it."""
    pause_facing(window)
    start = middle_of_cloth(window)
    target = (start[0] - 50, start[1] + 10)  # not so far that the cloth tears when it is let go

    def drawn_white():  # the hand, at the end of the line from the particle
        around = window.screen().region(target[0] - 14, target[1] - 14, 28, 28)
        return sum(min(colour) > 230 for colour in around)
    before = drawn_white()
    cloth = window.cloth_pixels()
    for attempt in range(3):  # a busy display may lose the press
        point_at(window, start)
        window.xdotool("mousedown", 1)
        for step in range(1, 11):
            window.move(start[0] - 5 * step, start[1] + step)
        until = time.monotonic() + PATIENCE / 3
        while drawn_white() <= before + 15 and time.monotonic() < until:
            time.sleep(0.1)
        if drawn_white() > before + 15:
            break
        window.xdotool("mouseup", 1)
    assert drawn_white() > before + 15, "the hand is not drawn"
    after = window.cloth_pixels()
    for _ in range(20):
        window.key("s")
    window.xdotool("mouseup", 1)
    window.key("space")
    time.sleep(0.5)
    assert abs(after - cloth) < 0.1 * cloth, f"the cloth had {cloth} pixels, then {after}"
    window.wait(lambda: window.cloth_pixels() > 3000)  # it swings on, no card covers it
    window.key("r")


def a_click_pins_and_unpins(window):
    """A click on the cloth sets an amber dot, the next click removes it; a saved scene has it."""
    pause_facing(window)
    spot = middle_of_cloth(window)

    def amber():
        around = window.screen().region(spot[0] - 16, spot[1] - 16, 32, 32)
        return sum(map(is_amber, around))

    def click():
        point_at(window, spot)
        window.xdotool("click", 1)
        window.move(20, 70)
    assert amber() == 0
    click()
    window.wait(lambda: amber() > 10)
    assert 0 <= int(window.saved()["toggled_pins"]) < 32 * 32
    click()
    window.wait(lambda: amber() == 0)
    assert "toggled_pins" not in window.saved()
    window.key("space")


def a_slider_changes_its_parameter(window):
    """Moving a slider changes one parameter; one of the sliders is the stretch stiffness."""
    before = window.saved()
    changed = {}
    for number in range(8):
        y, _, right = window.sliders()[number]
        window.drag((right - 2, y), (right + 25, y))
        time.sleep(0.3)
        after = window.saved()
        names = [name for name in after if after[name] != before[name]]
        window.move(640, 700)  # away from the tooltip
        assert len(names) == 1, f"the slider at {y} changed {names}"
        changed[names[0]] = float(after[names[0]])
        assert changed[names[0]] > (0 if before[names[0]] in ("auto", "max")
                                    else float(before[names[0]]))
        before = after
        if "stretch" in changed:
            break
    assert "stretch" in changed, f"sliders changed {sorted(changed)}"


def every_integrator_takes_over_while_running(window):
    """I goes once through the table; the cloth neither stops nor flies apart."""
    first = window.saved()["integrator"]
    seen = []
    while first not in seen:
        last = window.saved()["integrator"]
        window.key("i")
        window.wait(lambda: window.saved()["integrator"] != last)
        seen.append(window.saved()["integrator"])
        assert len(seen) == len(set(seen)) <= 40, seen
        assert window.cloth_pixels() > 3000, f"no cloth under {seen[-1]}"
    assert len(seen) > 1, "there is only one"
    before = window.screen().region(300, 60, 600, 600)
    window.drag(middle_of_cloth(window), (640, 500))
    assert window.screen().region(300, 60, 600, 600) != before, "the cloth stands still"


def resizing_keeps_it_alive(window):
    for width, height in ((700, 500), (320, 200), (160, 160), (1000, 300), (WIDTH, HEIGHT)):
        window.xdotool("windowsize", "--sync", window.id, width, height, check=False)
        time.sleep(0.4)
    window.wait(lambda: window.cloth_pixels() > 3000)


def nonsense_typed_is_refused(window):
    """Text that is not a number leaves the parameter unchanged and the program running."""
    before = window.saved()
    row = window.sliders()[0]
    window.move(row[1] + 30, row[0] - 16)
    window.xdotool("click", 1)
    time.sleep(0.4)
    window.xdotool("type", "--delay", 30, "banana")
    window.key("Return")
    time.sleep(0.3)
    after = window.saved()
    assert after == before, [(name, before[name], after[name])
                             for name in before if before[name] != after[name]]
    window.move(row[1] + 30, row[0] - 16)
    window.xdotool("click", 1)
    time.sleep(0.4)
    window.xdotool("type", "--delay", 30, "0.21")  # ms, as beside it
    window.key("Return")
    window.wait(lambda: window.saved()["step"] == "0.00021")


def a_click_and_a_number_are_enough(window):
    """Paused, type a number at once after the click: no digit is lost."""
    window.key("s")
    window.move(640, 60)  # away from the tooltip
    stretch = 2 if window.saved()["step"] == "auto" else 1  # with the automatic step: after safety
    time.sleep(0.5)
    for number in ("600", "450"):
        before = window.saved()["stretch"]
        for _ in range(3):  # all may be lost on a busy machine, but no part of it
            y, left, _ = window.sliders()[stretch]
            window.xdotool("mousemove", left + 195, y - 16, "click", 1, "type", "--delay", 0, number)
            window.key("Return")
            window.move(640, 60)
            if window.comes(lambda: window.saved()["stretch"] != before):
                break
        assert window.saved()["stretch"] == number, f"{number} became {window.saved()['stretch']}"
    window.key("ctrl+z")
    window.wait(lambda: window.saved()["stretch"] == "600")
    window.key("space")


def every_key_does_no_harm(window):
    for name in ("F1", "F1", "F2", "F2", "F3", "F3", "Tab", "Tab", "w", "w", "w", "t", "t", "a", "a",
                 "v", "v", "ctrl+z", "ctrl+shift+z", "ctrl+y", "ctrl+z", "Escape", "f", "1", "4", "l", "l", "l", "s", "Left", "Right", "Home", "ctrl+Right", "ctrl+Left", "End", "r",
                 "space", "ctrl+plus", "ctrl+plus", "ctrl+plus",
                 "ctrl+plus", "ctrl+plus", "ctrl+0"):
        window.key(name)
    window.wait(lambda: window.cloth_pixels() > 3000)


def it_ends_when_asked(window):
    """Ctrl Q ends it; Escape never does, however often."""
    for _ in range(3):
        window.key("Escape")
    time.sleep(0.5)
    assert window.process.poll() is None, "Escape ended it"
    window.key("ctrl+q")
    assert window.process.wait(timeout=PATIENCE) == 0
    window.errors.seek(0)
    complaints = window.errors.read().decode()
    assert complaints == "", complaints


def another(window, *arguments, home=None):
    """A second run on the same display, after the first."""
    window.end()
    return Window(window.environment["DISPLAY"], window.framebuffer, window.folder, *arguments,
                  "--size", f"{WIDTH}x{HEIGHT}", home=home)


def type_number(window, slider, text):
    y, left, _ = window.sliders()[slider]
    window.move(left + 195, y - 16)  # the number
    time.sleep(0.3)

    def number():
        return window.screen().raw(left + 120, y - 26, 120, 20)
    for _ in range(3):  # a slow frame may have lost the click
        before, until = number(), time.monotonic() + 5
        window.xdotool("click", 1)
        while number() == before and time.monotonic() < until:
            time.sleep(0.1)
        if number() != before:
            break
    time.sleep(0.7)
    window.xdotool("type", "--delay", 30, text)
    window.key("Return")
    window.move(640, 60)  # away from the tooltip


def card_of_divergence(window):
    """Left and bottom of the card with the red edge, or nothing."""
    screen = window.screen()

    def is_red(x, y):
        return screen.at(x, y)[0] > 200 and max(screen.at(x, y)[1:]) < 140

    for y in range(HEIGHT - BOTTOM, 300, -1):
        # a thin line: the cloth is as red, and as wide
        red = [x for x in range(290, WIDTH - 290, 8) if is_red(x, y) and not is_red(x, y - 8)]
        if len(red) > 30:
            return red[0], y
    return None


def remedy_of(window):
    """A place on the first button with the accent's edge over the cloth, or nothing."""
    screen = window.screen()
    for y in range(60, HEIGHT - BOTTOM):
        for x in range(290, WIDTH - 330, 10):
            if all(screen.at(x + i, y) == ACCENT for i in range(0, 40, 4)):
                return x + 10, y + 10
    return None


def a_session_replays_to_the_same_bits(window):
    """Drag, pin, sliders, methods, a divergence, a rewind: two replays end as the window did."""
    path = os.path.join(window.folder, "session.rec")
    session = another(window, "drape", *CLOTH, "--record", path)
    try:
        time.sleep(0.5)
        session.key("r")  # first: what came before it would not matter
        pause_facing(session)  # so that the cloth is still there when the mouse is
        start = middle_of_cloth(session)
        session.move(*start)
        time.sleep(0.3)
        session.xdotool("mousedown", 1)
        session.move(start[0] + 20, start[1] - 10)
        session.key("space")
        for step in range(1, 11):
            session.move(start[0] + 12 * step, start[1] - 6 * step)
        time.sleep(0.3)
        session.xdotool("mouseup", 1)
        pause(session)
        session.xdotool("mousemove", *middle_of_cloth(session))
        time.sleep(0.3)
        session.xdotool("click", 1)
        time.sleep(0.3)
        session.key("space")
        for number in (1, 2):
            y, _, right = session.sliders()[number]
            session.drag((right - 2, y), (right + 20, y))
        session.move(640, 60)
        for name in ("i", "i", "v", "v", "space", "s", "s", "space", "i"):
            session.key(name)
        time.sleep(0.5)
        type_number(session, 0, "0.05 s")
        for _ in range(40):  # on to a method that does not survive that
            if card_of_divergence(session):
                break
            session.key("i")
            session.key("space")
            time.sleep(0.3)
        session.wait(lambda: remedy_of(session), 4 * PATIENCE)  # when it was tried
        # the card grows while others are tried, and the button moves: a click may miss it
        end = time.monotonic() + 4 * PATIENCE
        while card_of_divergence(session) and time.monotonic() < end:
            button = remedy_of(session)
            if button:
                session.xdotool("mousemove", *button, "click", 1)
            time.sleep(1)
        assert not card_of_divergence(session), "no remedy takes the card away"
        time.sleep(1)
        session.key("ctrl+q")
        assert session.process.wait(timeout=PATIENCE) == 0
    finally:
        session.end()
    with open(path) as file:
        text = file.read()
    did = [line.split("s  ", 1)[1].split()[0] for line in text.splitlines() if " s  " in line]
    for command in ("grab", "move", "release", "pin", "set", "reset", "rewind", "end"):
        assert command in did, f"no {command} in {did}"
    recorded = text.split()[-1]
    for _ in range(2):
        done = subprocess.run([SELVAGE, "run", "--replay", path, "--json"], capture_output=True,
                              text=True, timeout=120)
        assert done.returncode == 0, done.stderr
        played = json.loads(done.stdout)
        assert played["replay_matches"] is True and played["hash"] == recorded, played


def is_amber(colour):
    red, green, blue = colour
    return red > 220 and 140 < green < 220 and blue < 130


def the_past_is_seen_and_gone_on_from(window):
    """Drag the timeline back, return, step back, change something there: it replays to the bits."""
    path = os.path.join(window.folder, "past.rec")
    session = another(window, "drape", *CLOTH, "--record", path)

    def shows_past():  # its time is written in amber
        return sum(map(is_amber, session.screen().region(15, HEIGHT - 75, 75, 30))) > 20

    def cloth():
        return settled(session, (290, 60, WIDTH - 580, HEIGHT - 100 - BOTTOM))
    try:
        time.sleep(2)
        session.move(640, 20)  # not over the cloth
        pause(session)
        present = cloth()
        session.drag((1150, HEIGHT - 60), (500, HEIGHT - 60))
        session.wait(shows_past)
        session.move(640, 20)
        assert cloth() != present, "the past looks like the present"
        session.key("End")
        session.wait(lambda: not shows_past())
        assert cloth() == present, "the present looks different after a look at the past"
        for _ in range(3):
            session.key("Left")
        session.wait(shows_past)
        session.drag((1100, HEIGHT - 60), (600, HEIGHT - 60))
        session.wait(shows_past)
        session.key("i")  # what changes the past makes it the present
        session.wait(lambda: not shows_past())
        session.key("ctrl+z")  # undone; a message says so for some seconds
        session.wait(lambda: cloth() == present)
        session.key("Left")
        session.wait(shows_past)
        session.key("i")
        session.wait(lambda: not shows_past())
        session.key("space")
        time.sleep(1)
        session.key("Home")
        session.wait(shows_past)
        session.key("space")
        session.wait(lambda: not shows_past())
        time.sleep(0.5)
        session.key("ctrl+q")
        assert session.process.wait(timeout=PATIENCE) == 0
    finally:
        session.end()
    with open(path) as file:
        text = file.read()
    assert text.count(" back ") == 3 and text.count(" recall\n") == 1, text[-600:]
    done = subprocess.run([SELVAGE, "run", "--replay", path, "--json"], capture_output=True,
                          text=True, timeout=120)
    assert '"replay_matches": true' in done.stdout, done.stderr


def a_replay_plays_in_the_window(window):
    """It moves the cloth by itself, pauses at its end, and goes on by hand."""
    path = os.path.join(window.folder, "lift.rec")
    with open(path, "w") as file:
        file.write("selvage-record 1\nscene drape\n[time]\nspeed = 1\nend scene\n"
                   "0.2 s grab 528 0.5 0.3 0.5\n1.5 s end\n")
    session = another(window, "--replay", path, "--record", path + ".again")
    try:
        session.wait(lambda: card_is_amber(session))  # it says that it is over

        view = (300, 60, 600, 400)
        still = settled(session, view)  # it does not go on by itself
        session.key("r")
        session.key("space")
        session.wait(lambda: session.screen().raw(*view) != still)
        session.key("ctrl+q")
        assert session.process.wait(timeout=PATIENCE) == 0
    finally:
        session.end()
    done = subprocess.run([SELVAGE, "run", "--replay", path + ".again"], capture_output=True,
                          text=True, timeout=120)
    assert done.returncode == 0 and "agrees" in done.stdout, done.stderr


def card_is_amber(window):
    screen = window.screen()
    return any(sum(map(is_amber, screen.region(300, y, 680, 1))) > 100
               for y in range(HEIGHT - BOTTOM, 300, -1))


LANE_COLOURS = ((0x56, 0xB4, 0xE9), (0xE6, 0x9F, 0x00), (0x00, 0x9E, 0x73), (0xCC, 0x79, 0xA7))


def strips(window):
    """Where the strips of the lanes begin: {lane: (x, y)}, found by the line in the lane's colour."""
    screen, found = window.screen(), {}
    for y in range(60, HEIGHT - BOTTOM):
        for x in (290, WIDTH // 2 + 40):
            row = {screen.at(x + i, y) for i in range(0, 80, 8)}
            if len(row) == 1 and row <= set(LANE_COLOURS):
                found.setdefault(LANE_COLOURS.index(row.pop()), (x, y))
    return found


def lanes_are_opened_changed_and_removed(window):
    """Four methods at once; a click selects a lane; its own values and the shared ones; and back."""
    session = another(window, "drape", "--set", "rows=12", "--set", "columns=12")

    def click(x, y):
        session.move(x, y)
        time.sleep(0.3)
        session.xdotool("mousedown", 1)
        time.sleep(0.3)
        session.xdotool("mouseup", 1)
        time.sleep(0.3)  # a frame must see it there
        session.move(640, 20)  # away from the tooltip
        time.sleep(0.3)

    def above_views():  # the buttons of the lanes: "side by side", with an edge, is below them
        screen = session.screen()
        edges = [y for y in range(60, HEIGHT - BOTTOM)
                 if all(screen.at(x, y) == ACCENT for x in range(24, 100))
                 and ACCENT not in (screen.at(60, y - 1), screen.at(60, y + 1))]
        return edges[0] - 13 if edges else None

    def methods():
        return [lane["integrator"] for lane in session.saved_sections()[1:]]
    try:
        session.repeat(lambda: click(155, session.sliders()[1][0] + 57),  # below the safety
                       lambda: len(strips(session)) == 4)  # "four methods"
        before = methods()
        assert len(set(before)) == 4, before
        assert session.saved()["step"] == "auto"
        session.key("3")
        time.sleep(0.5)
        session.key("i")  # of that lane only
        session.wait(lambda: methods()[2] != before[2])
        changed = methods()
        assert changed[:2] + changed[3:] == before[:2] + before[3:], changed
        x, y = session.wait(lambda: strips(session).get(1))
        click(x + 20, y - 60)  # beside the cloth, in the picture of lane 2
        time.sleep(0.5)
        session.repeat(lambda: click(36, session.sliders()[0][0] - 16),  # "all" beside h
                       lambda: "step" in session.saved_sections()[2])  # now it is its own
        type_number(session, 0, "0.2 ms")
        session.wait(lambda: session.saved_sections()[2].get("step") == "0.0002")
        scene, *lanes = session.saved_sections()
        assert scene["step"] == "auto" and sum("step" in lane for lane in lanes) == 1, lanes
        y, _, right = session.sliders()[1]  # stretch, which all share
        session.drag((right - 2, y), (right + 25, y))
        session.move(640, 20)
        session.wait(lambda: float(session.saved()["stretch"]) > float(scene["stretch"]))
        assert not any("stretch" in lane for lane in session.saved_sections()[1:])
        # remove the first; then those after the one that is lane 1 now
        for key, remaining in (("1", 3), ("2", 2), ("2", 0)):
            session.key(key)
            time.sleep(0.7)
            session.repeat(lambda: click(180 if remaining == 3 else 60, session.wait(above_views)),
                           lambda: len(session.saved_sections()) == remaining + 1)
        session.wait(lambda: not strips(session))
        assert session.saved()["step"] == "0.0002" and session.saved()["integrator"] == before[1]
        session.key("ctrl+q")
        assert session.process.wait(timeout=PATIENCE) == 0
    finally:
        session.end()


def lane_by_itself(text, number):
    """A recording of one lane alone, without its lanes, from a recording of all: what is void left
    out, what is for other lanes too."""
    head, body = text.split("end scene\n", 1)
    shared, *lanes = head.split("[lane]\n")

    def settings(block):
        return dict(line.split(" = ") for line in block.splitlines()
                    if " = " in line and line[0].isalpha())
    own = settings(lanes[number])
    common = settings(shared)
    commands, kept = [], None
    for line in body.splitlines():
        if " s  " not in line:
            continue
        moment, command = line.split(" s  ", 1)
        if command.startswith("back "):
            kept = list(commands)
            commands = [c for c in commands if float(c[0]) <= float(command.split()[1])]
        elif command == "recall":
            commands = kept
        elif command.startswith("end "):
            commands.append((moment, "end " + command.split()[1 + number]))
        else:
            commands.append((moment, command))
    out = []
    for moment, command in commands:
        words = command.split()
        if words[0] == "lane":
            if int(words[1]) != number + 1:
                continue
            words = words[2:]
            if words[0] == "set":
                own[words[1]] = words[2]
            elif words[0] == "share":
                own.pop(words[1], None)
                words = ["set", words[1], common[words[1]]]
        elif words[0] == "set":
            common[words[1]] = words[2]
            if words[1] in own:
                continue
        out.append(f"{moment} s  {' '.join(words)}")
    start = [f"{key} = {settings(lanes[number]).get(key, value)}" if " = " in line else line
             for line in shared.splitlines()
             for key, _, value in [line.partition(" = ")]]
    return "\n".join([*start, "end scene", *out, ""])


def four_lanes_replay_to_the_same_bits(window):
    """Drag, pin, shared and own values, a lane that diverges, back before it, another step, and on:
    a replay of all lanes, and each lane by itself, end as the window did."""
    path = os.path.join(window.folder, "lanes.rec")
    methods = ("symplectic-euler", "rk4", "backward-euler step=0.01", "velocity-verlet step=0.0005")
    session = another(window, "drape", "--set", "rows=12", "--set", "columns=12", "--record", path,
                      *(word for method in methods for word in ("--lane", f"integrator={method}")))

    def on_cloth(left, right):  # of a lane in the upper row
        screen = session.screen()
        spots = [(x, y) for y in range(70, 360, 6) for x in range(left, right, 6)
                 if is_cloth(screen.at(x, y))]
        assert spots, "no cloth in that lane"
        return spots[len(spots) // 2]

    def select(lane):  # until its method is in the panel, which is then laid out anew
        def method():
            return session.screen().raw(16, 60, 230, 100)
        before, until = method(), time.monotonic() + 5  # it may be selected already
        session.key(lane)
        while method() == before and time.monotonic() < until:
            time.sleep(0.1)
        time.sleep(0.5)

    def fourth_diverged():  # its lamp is no longer green
        x, y = strips(session)[3]
        return not any(green > 180 and red < 120 for red, green, _ in
                       session.screen().region(x, y + 6, 320, 24))
    try:
        session.wait(lambda: len(strips(session)) == 4)
        time.sleep(1.5)
        session.key("space")
        time.sleep(1)
        start = on_cloth(290, WIDTH // 2 - 20)
        point_at(session, start)
        session.xdotool("mousedown", 1)
        session.move(start[0] + 10, start[1])
        session.key("space")
        for step in range(1, 8):
            session.move(start[0] + 10 * step, start[1] - 5 * step)
        session.xdotool("mouseup", 1)
        session.key("space")
        time.sleep(1)
        point_at(session, on_cloth(WIDTH // 2 + 20, WIDTH - 300))
        session.xdotool("click", 1)
        session.key("space")
        select("1")
        y, _, right = session.sliders()[2]  # a stiffness, of all lanes
        session.drag((right - 2, y), (right + 15, y))
        session.move(640, 20)
        select("4")
        type_number(session, 0, "0.05 s")
        session.wait(fourth_diverged)
        time.sleep(1)  # the others go on
        session.drag((1150, HEIGHT - 60), (300, HEIGHT - 60))
        session.wait(lambda: not fourth_diverged())
        type_number(session, 0, "0.8 ms")
        session.key("space")
        time.sleep(1.5)
        assert not fourth_diverged()
        session.key("ctrl+q")
        assert session.process.wait(timeout=PATIENCE) == 0
    finally:
        session.end()
    with open(path) as file:
        text = file.read()
    for command in (" grab ", " release", " pin ", " lane 4 set step 0.05", " back ",
                    " lane 4 set step 0.0008", " resume", " end "):
        assert command in text, f"no{command} in {text[-900:]}"
    recorded = text.split()[-4:]
    done = subprocess.run([SELVAGE, "run", "--replay", path, "--json"], capture_output=True,
                          text=True, timeout=120)
    played = json.loads(done.stdout)
    assert played["replay_matches"] is True, done.stderr
    assert [lane["hash"] for lane in played["lanes"]] == recorded, played
    for number in range(4):
        alone = os.path.join(window.folder, "alone.rec")
        with open(alone, "w") as file:
            file.write(lane_by_itself(text, number))
        done = subprocess.run([SELVAGE, "run", "--replay", alone, "--json"], capture_output=True,
                              text=True, timeout=120)
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)["hash"] == recorded[number], f"lane {number + 1}"


def a_lesson_goes_forward_and_back(window):
    """Page keys: a question, its answer with a lane that diverges, the next step, and back to the
    question as it was. Esc leaves the lesson and nothing else."""
    path = os.path.join(window.folder, "lesson.rec")
    session = another(window, "--lesson", "05-damping", "--record", path)

    def caption():  # its words and equation
        screen = session.screen()
        rows = (HEIGHT - BOTTOM - 50) * screen.stride, (HEIGHT - BOTTOM - 10) * screen.stride
        return screen.pixels[rows[0]:rows[1]]

    def page(key):
        before = caption()
        session.key(key)
        session.wait(lambda: caption() != before)
        time.sleep(0.2)

    def lane_2_is_red():
        x, y = session.wait(lambda: strips(session).get(1))
        return any(red > 220 and green < 140 and blue < 140 for red, green, blue in
                   session.screen().region(x, y + 6, WIDTH // 2 - 20, 24))
    try:
        session.move(640, 20)
        assert not session.sliders(), "panels beside a lesson that wants none"
        page("Next")
        question = caption()
        session.wait(lambda: len(strips(session)) == 2)
        page("Next")
        session.wait(lane_2_is_red)
        page("Next")
        page("Prior")
        page("Prior")
        session.wait(lambda: caption() == question and not lane_2_is_red())
        session.key("Escape")
        session.wait(session.sliders)  # the panels are back
        session.key("ctrl+q")
        assert session.process.wait(timeout=PATIENCE) == 0
    finally:
        session.end()
    with open(path) as file:
        text = file.read()
    assert text.count(" load drape") == 6, text.count(" load drape")
    assert text.splitlines()[-1].startswith("0 s  end "), text.splitlines()[-1]


def random_session(window, random, *arguments, more=(), environment=None):
    """A window for random inputs, with a folder of its own."""
    folder = tempfile.mkdtemp(dir=window.folder)
    files, work = (os.path.join(folder, name) for name in ("files", "work"))
    os.mkdir(files)
    os.mkdir(work)
    # it writes what it gets, or fails, or takes its time
    programs = fake_ffmpeg(files, ': >"${last#file:}"\n'
                                  'case $(($$ % 4)) in 0) exit 3;; 1) sleep 2;; esac\n'
                                  'cat >"${last#file:}"')
    inputs = RandomInputs(random, files, (WIDTH, HEIGHT), ASSETS, more)
    window.end()
    session = Window(window.display, window.framebuffer, work, *arguments, "--size",
                     f"{WIDTH}x{HEIGHT}",
                     environment=dict(environment or {},
                                      PATH=programs + ":" + os.environ["PATH"]))
    return RandomSession(session, inputs, work)


def random_recorded(window, scene, random, wanted):
    """What is recorded meanwhile replays. Returns the recording."""
    path = os.path.join(window.folder, f"random-{scene}.rec")
    session = random_session(window, random, scene, "--record", path,
                             "--set", "rows=12", "--set", "columns=12")
    try:
        while session.count < wanted:
            session.some()
        close(session.window)
    finally:
        session.window.end()
    done = subprocess.run([SELVAGE, "run", "--replay", path, "--json"], capture_output=True,
                          text=True, timeout=600)
    assert '"replay_matches": true' in done.stdout, done.stderr
    return path


def random_inputs_do_no_harm(window):
    """The window lives on whatever is done to it, with one cloth and with lanes, and what it recorded
    replays. A window that does not record plays recordings too."""
    seed = int(os.environ.get("SELVAGE_SEED", "1"))
    wanted = int(os.environ.get("SELVAGE_INPUTS", "1000"))
    print(f"# seed {seed}, {wanted} inputs", flush=True)
    random = Random(seed)
    recordings = [random_recorded(window, scene, random, wanted // 3) for scene in ("drape", "race")]
    session = random_session(window, random, "--replay", recordings[0], more=recordings)
    try:
        while session.count < wanted // 3:
            session.some()
        close(session.window)
    finally:
        session.window.end()


def random_inputs_for_minutes(window):
    """Rounds of random input in one window, each ended by the same state: then the memory in use is
    the same as well, and no thread or file is left over."""
    seed = int(os.environ.get("SELVAGE_SEED", "1"))
    until = time.monotonic() + 60 * MINUTES
    count_heap = os.path.exists(HEAP_COUNT)
    counted = os.path.join(window.folder, "heap")
    print(f"# seed {seed}, {MINUTES:g} minutes" + (
        "" if count_heap else "; a sanitizer looks after the memory"), flush=True)
    session = random_session(window, Random(seed), "drape", "--set", "rows=12", "--set",
                             "columns=12", environment={"LD_PRELOAD": HEAP_COUNT,
                                                        "HEAP_COUNT": counted} if count_heap else {})
    rounds = []
    try:
        while time.monotonic() < until:
            end = time.monotonic() + ROUND_SECONDS
            while time.monotonic() < end:
                session.some()
            session.rest()
            if count_heap:
                rounds.append(Memory(session.window.process.pid, counted))
            print(f"# {session.count} inputs: {rounds[-1] if rounds else 'alive'}", flush=True)
        close(session.window)
    finally:
        session.window.end()
    if not count_heap:
        return
    later = rounds[len(rounds) // 4:]  # caches have been filled
    assert len(later) >= 9, f"{len(rounds)} rounds are too few to judge; take more minutes"
    sites = Sites(SELVAGE, later)
    lost = sites.leaks()
    assert not lost, "blocks that are never freed, round by round: " + "; ".join(lost)
    grown = {name: growth([getattr(memory, name) for memory in later]) for name in MOST_GROWTH}
    said = ", ".join(f"{name} {value / 1024:+.0f} KB" for name, value in grown.items())
    print(f"# in a round: {said}; most of it: {sites.growing()}", flush=True)
    for name, most in MOST_GROWTH.items():
        assert grown[name] < most, f"memory grows in each round: {said}; {name} may by {most >> 10}"
    for name in ("threads", "files"):
        first, last = (min(getattr(memory, name) for memory in part)
                       for part in (rounds[:3], rounds[-3:]))
        assert last <= first, f"{first} {name} became {last}"


def dropped_files_are_opened(window):
    """A scene, a mesh and a recording; what cannot be opened changes nothing. What is open then can
    be copied as a command line."""
    def path(name, text):
        with open(os.path.join(window.folder, name), "w") as file:
            file.write(text)
        return os.path.join(window.folder, name)
    small = "[cloth]\nrows = 5\ncolumns = 5\n"
    square = "v 0 0 0\nv 1 0 0\nv 1 0 1\nv 0 0 1\nf 1 2 3 4\n"
    session = another(window, "drape", *CLOTH)
    try:
        for files, names in (
                ([path("my scarf.ini", small)], ["my scarf.ini"]),
                ([path("sheet.obj", square)], ["sheet.obj", "my scarf.ini"]),
                ([path("film.rec", f"selvage-record 1\nscene film\n{small}end scene\n1 s end\n")],
                 ["film.rec", "sheet.obj", "my scarf.ini"]),
                ([path("bad.ini", "[cloth]\nrow = 3\n")], None),
                ([path("bad.rec", "selvage-record 1\nscene x\n")], None),
                ([path("picture.png", "no picture")], None),
                ([path("a.ini", small), path("b.ini", small)], None),
                ([path("my scarf.ini", small)], ["my scarf.ini", "film.rec", "sheet.obj"])):
            before = session.recent()
            drop(window.display, session.id, files)
            if names:
                session.wait(lambda: session.recent() == names)
            else:
                time.sleep(0.3)
                assert session.recent() == before, session.recent()
        saved = os.path.join(window.folder, "my scarf-edited.ini")

        def written():  # it is this scene that is there now
            session.key("ctrl+s")
            return os.path.exists(saved)
        session.wait(written)

        # copied as a command line, it is this scene again, with what was changed
        session.key("a")  # the automatic step
        line = session.wait(lambda: session.key("ctrl+c") or clipboard(window.display))
        assert line.startswith("selvage view '") and "my scarf.ini'" in line, line
        assert "--step 0.0" in line, line
        without = dict(session.environment)
        del without["DISPLAY"]
        done = subprocess.run(["sh", "-c", f'selvage() {{ "{SELVAGE}" "$@"; }}; {line} --record x.rec'],
                              cwd=window.folder, env=without, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        step = line.split("--step ")[1].split()[0]
        with open(os.path.join(window.folder, "x.rec")) as file:
            text = file.read()
        assert f"\nstep = {step}\n" in text and "\nrows = 5\n" in text, text
    finally:
        session.end()


def close(window):
    """As a user does; a text field or a card may take the first key. It ends without a complaint."""
    until = time.monotonic() + PATIENCE
    while window.process.poll() is None:
        assert time.monotonic() < until, "it does not end"
        window.xdotool("key", "ctrl+q", check=False)
        window.xdotool("key", "Escape", check=False)
        time.sleep(0.3)
    window.errors.seek(0)
    complaints = window.errors.read().decode()
    assert window.process.returncode == 0 and complaints == "", complaints


def the_window_remembers_its_theme(window):
    """Changed in one window, seen in the next."""
    def is_light():
        return min(window.screen().at(WIDTH // 2, 4)) > 200
    window = another(window, "drape", *CLOTH)
    assert not is_light()
    window.key("t")
    window.wait(is_light)
    close(window)
    with open(os.path.join(window.home, "config", "selvage", "settings.ini")) as file:
        assert "theme = light" in file.read()
    window = another(window, "drape", *CLOTH, home=window.home)
    window.wait(is_light)
    window.end()


def the_winds_arrow_is_dragged(window):
    """Drag the tip of the arrow: the wind turns and grows, Ctrl+Z undoes all of it, and the recording
    replays to the same bits."""
    path = os.path.join(window.folder, "wind.rec")
    session = another(window, "drape", *CLOTH, "--set", "rows=12", "--set", "columns=12", "--set",
                      "wind=3", "--record", path)

    def arrow():  # the rightmost pixel of its face
        screen = session.screen()
        face = [(x, y) for x in range(280, 440) for y in range(55, 160) if screen.at(x, y) == ACCENT]
        return len(face) > 60 and max(face)
    try:
        x, y = session.wait(arrow)
        session.move(x - 4, y)
        session.xdotool("mousedown", 1)
        for step in (10, 40, 70):
            session.move(x - 4 - step, y - step // 6)
        session.xdotool("mouseup", 1)
        turned = session.saved()
        session.key("ctrl+z")
        undone = session.saved()
        close(session)
    finally:
        session.end()
    assert 3.5 < float(turned["wind"]) < 20, turned["wind"]
    assert 120 < float(turned["wind_direction"]) < 240, turned["wind_direction"]
    assert (undone["wind"], undone["wind_direction"]) == ("3", "0"), undone
    done = subprocess.run([SELVAGE, "run", "--replay", path, "--json"], capture_output=True,
                          text=True, timeout=120)
    assert json.loads(done.stdout)["replay_matches"] is True, done.stdout


def fake_ffmpeg(folder, action):
    """In place of the real one: does this with "$last", the file to write."""
    path = os.path.join(folder, "bin", "ffmpeg")
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as file:
        file.write(f'#!/bin/sh\nprintf "%s " "$@" >arguments\nfor last; do :; done\n{action}\n')
    os.chmod(path, 0o755)
    return os.path.dirname(path)


def a_video_of_the_view_is_made(window):
    """Frames go to ffmpeg until F9 is pressed again; a failure leaves no file, and the window lives."""
    before = os.environ["PATH"]
    folder = fake_ffmpeg(window.folder, 'cat >"${last#file:}"')
    os.environ["PATH"] = folder + ":" + before
    try:
        session = another(window, "drape", "--lane", "integrator=rk4", "--lane",
                          "integrator=symplectic-euler", *CLOTH)
    finally:
        os.environ["PATH"] = before
    video = os.path.join(window.folder, "drape.mp4")

    def parts():
        return [name for name in os.listdir(window.folder) if name.endswith(".part")]
    try:
        session.key("F9")
        session.wait(lambda: os.path.exists(os.path.join(window.folder, "arguments")))
        with open(os.path.join(window.folder, "arguments")) as file:
            size = file.read().split("-video_size ")[1].split()[0]
        frame = 3 * int(size.split("x")[0]) * int(size.split("x")[1])
        session.wait(lambda: any(os.path.getsize(os.path.join(window.folder, name)) > 4 * frame
                                 for name in parts()))
        assert not os.path.exists(video)
        session.key("F9")
        session.wait(lambda: os.path.exists(video) and not parts())
        with open(video, "rb") as file:
            data = file.read()
        frames = {data[i:i + frame] for i in range(0, len(data), frame)}
        assert len(data) % frame == 0 and len(frames) == len(data) // frame > 3, len(data) / frame
        for colour in LANE_COLOURS[:2]:  # the strips that say what is what
            assert data[:frame].count(bytes(colour) * 80), "a lane of the video has no strip"
        fake_ffmpeg(window.folder, "touch tried; exit 3")
        session.key("F9")
        session.wait(lambda: os.path.exists(os.path.join(window.folder, "tried")) and not parts())
        fake_ffmpeg(window.folder, "cat >/dev/null; touch again; exec sleep 1000")  # it hangs
        session.key("F9")
        time.sleep(1)
        session.key("F9")
        session.wait(lambda: os.path.exists(os.path.join(window.folder, "again")))
        session.move(435, 72)  # discard
        session.xdotool("click", 1)
        time.sleep(0.5)
        close(session)
        names = [name for name in os.listdir(window.folder) if "drape" in name and "mp4" in name]
        assert names == ["drape.mp4"], names
    finally:
        session.end()


def f12_takes_pictures(window):
    """Of the window, and of the view alone, twice as large; a file that is there stays."""
    def picture(number):
        path = os.path.join(window.folder, f"selvage-drape-{number}.png")
        if not os.path.exists(path) or os.path.getsize(path) == 0:
            return None
        with open(path, "rb") as file:
            head = file.read(24)
        assert head[:8] == b"\x89PNG\r\n\x1a\n", f"{path} is no PNG"
        return struct.unpack(">II", head[16:24])
    taken = len([name for name in os.listdir(window.folder) if name.startswith("selvage-drape-")])
    window.key("F12")
    size = window.wait(lambda: picture(taken + 1))
    assert size == (WIDTH, HEIGHT), f"the window is {size[0]} x {size[1]}"
    window.key("shift+F12")
    width, height = window.wait(lambda: picture(taken + 2))
    assert WIDTH < width < 2 * WIDTH and HEIGHT < height < 2 * HEIGHT, f"{width} x {height}"


# These share one window, which the last of them closes.
ONE_WINDOW = [dragging_moves_the_cloth, a_hand_waits_while_paused, a_click_pins_and_unpins,
              a_slider_changes_its_parameter, every_integrator_takes_over_while_running,
              nonsense_typed_is_refused, a_click_and_a_number_are_enough, resizing_keeps_it_alive,
              every_key_does_no_harm, f12_takes_pictures, it_ends_when_asked,
              random_inputs_do_no_harm]
# Each of these opens its own.
WINDOWS = [a_session_replays_to_the_same_bits, the_past_is_seen_and_gone_on_from,
           a_replay_plays_in_the_window, lanes_are_opened_changed_and_removed,
           four_lanes_replay_to_the_same_bits, a_lesson_goes_forward_and_back,
           dropped_files_are_opened, the_window_remembers_its_theme, the_winds_arrow_is_dragged,
           a_ball_can_be_dragged, a_video_of_the_view_is_made]
CASES = (ONE_WINDOW if "--windows" not in sys.argv else []) + \
        (WINDOWS if "--one-window" not in sys.argv else [])
if MINUTES > 0:
    CASES = [random_inputs_for_minutes]
# The cases whose names have one of these words; slow builds take a few.
WORDS = os.environ.get("SELVAGE_CASES", "").split() or [""]
CASES = [case for case in CASES if any(word in case.__name__ for word in WORDS)]
if WAYLAND:  # random inputs take a minute and do not depend on the window system; drops are X11's
    CASES = [case for case in CASES
             if case not in (random_inputs_do_no_harm, dropped_files_are_opened)]


def start_display(folder):
    """Start Xvfb, which chooses its display number: (process, display, framebuffer file)."""
    read, write = os.pipe()
    process = subprocess.Popen(
        ["Xvfb", "-displayfd", str(write), "-fbdir", folder, "-screen", "0",
         f"{WIDTH}x{HEIGHT}x24", "-nolisten", "tcp", "-noreset"], pass_fds=[write],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    os.close(write)
    with os.fdopen(read) as pipe:
        number = pipe.readline().strip()
    assert number, "Xvfb did not start"
    return process, f":{number}", os.path.join(folder, "Xvfb_screen0")


def main():
    if not CASES:
        sys.exit(77)  # skipped
    print(f"1..{len(CASES)}", flush=True)
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        xvfb, display, framebuffer = start_display(folder)
        window = None
        try:
            for number, case in enumerate(CASES, 1):
                start = time.monotonic()
                try:
                    if window is None:
                        window = Window(display, framebuffer, folder, "drape", *CLOTH, "--size",
                                        f"{WIDTH}x{HEIGHT}")
                    case(window)
                    print(f"ok {number} - {case.__name__}\n# {time.monotonic() - start:.0f} s",
                          flush=True)
                except (AssertionError, OSError, subprocess.SubprocessError) as reason:
                    failed += 1
                    lines = [frame.lineno for frame in traceback.extract_tb(reason.__traceback__)
                             if frame.name == case.__name__]
                    print(f"not ok {number} - {case.__name__}\n# line {lines}: {reason}", flush=True)
                    if window:
                        window.xdotool("mouseup", 1, check=False)
                        window.end()
                    window = None  # the next case gets a fresh one
        finally:
            if window:
                window.end()
            xvfb.send_signal(signal.SIGTERM)
            xvfb.wait()
    sys.exit(failed > 0)


main()
