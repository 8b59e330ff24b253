"""Drop files on a window of an X11 display, as a file manager does (XDND, version 5), and read what
a window has copied."""
import ctypes
import time
import urllib.parse


class ClientMessage(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int), ("serial", ctypes.c_ulong), ("send_event", ctypes.c_int),
                ("display", ctypes.c_void_p), ("window", ctypes.c_ulong),
                ("message_type", ctypes.c_ulong), ("format", ctypes.c_int),
                ("data", ctypes.c_long * 5)]


class SelectionRequest(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int), ("serial", ctypes.c_ulong), ("send_event", ctypes.c_int),
                ("display", ctypes.c_void_p), ("owner", ctypes.c_ulong),
                ("requestor", ctypes.c_ulong), ("selection", ctypes.c_ulong),
                ("target", ctypes.c_ulong), ("property", ctypes.c_ulong), ("time", ctypes.c_ulong)]


class Selection(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int), ("serial", ctypes.c_ulong), ("send_event", ctypes.c_int),
                ("display", ctypes.c_void_p), ("requestor", ctypes.c_ulong),
                ("selection", ctypes.c_ulong), ("target", ctypes.c_ulong),
                ("property", ctypes.c_ulong), ("time", ctypes.c_ulong)]


class Event(ctypes.Union):
    _fields_ = [("type", ctypes.c_int), ("message", ClientMessage), ("request", SelectionRequest),
                ("selection", Selection), ("pad", ctypes.c_long * 24)]


SELECTION_REQUEST, SELECTION_NOTIFY, CLIENT_MESSAGE = 30, 31, 33


def connect(display_name):
    """Xlib and a connection."""
    x11 = ctypes.CDLL("libX11.so.6")
    x11.XOpenDisplay.restype = ctypes.c_void_p
    x11.XInternAtom.restype = x11.XCreateSimpleWindow.restype = ctypes.c_ulong
    x11.XDefaultRootWindow.restype = ctypes.c_ulong
    display = ctypes.c_void_p(x11.XOpenDisplay(display_name.encode()))
    assert display, "no display"
    return x11, display


def small_window(x11, display):
    return x11.XCreateSimpleWindow(display, ctypes.c_ulong(x11.XDefaultRootWindow(display)),
                                   0, 0, 1, 1, 0, ctypes.c_ulong(0), ctypes.c_ulong(0))


def clipboard(display_name, patience=5):
    """The text of the clipboard; "" if there is none."""
    x11, display = connect(display_name)
    here = ctypes.c_ulong(small_window(x11, display))
    clip, text, place = (ctypes.c_ulong(x11.XInternAtom(display, name, 0))
                         for name in (b"CLIPBOARD", b"UTF8_STRING", b"SELVAGE_TEST"))
    x11.XConvertSelection(display, clip, text, place, here, ctypes.c_ulong(0))
    x11.XFlush(display)
    until, found = time.monotonic() + patience, ""
    while time.monotonic() < until and not x11.XPending(display):
        time.sleep(0.02)
    if x11.XPending(display):
        event = Event()
        x11.XNextEvent(display, ctypes.byref(event))
        if event.type == SELECTION_NOTIFY and event.selection.property:
            kind, form = ctypes.c_ulong(), ctypes.c_int()
            count, rest, data = ctypes.c_ulong(), ctypes.c_ulong(), ctypes.c_void_p()
            x11.XGetWindowProperty(display, here, place, ctypes.c_long(0), ctypes.c_long(1 << 16), 1,
                                   ctypes.c_ulong(0), ctypes.byref(kind), ctypes.byref(form),
                                   ctypes.byref(count), ctypes.byref(rest), ctypes.byref(data))
            found = ctypes.string_at(data, count.value).decode()
    x11.XCloseDisplay(display)
    return found


def drop(display_name, window, paths, patience=30):
    """Returns when the window says that it has finished."""
    x11, display = connect(display_name)
    window = ctypes.c_ulong(int(window))

    def atom(name):
        return x11.XInternAtom(display, name.encode(), 0)

    def send(name, *data):
        event = Event()
        event.message = ClientMessage(CLIENT_MESSAGE, 0, 1, display, window, atom(name), 32,
                                      (ctypes.c_long * 5)(*data))
        x11.XSendEvent(display, window, 0, ctypes.c_long(0), ctypes.byref(event))
        x11.XFlush(display)

    def answer(request):
        x11.XChangeProperty(display, ctypes.c_ulong(request.requestor),
                            ctypes.c_ulong(request.property), ctypes.c_ulong(request.target), 8, 0,
                            uris, len(uris))
        event = Event()
        event.selection = Selection(SELECTION_NOTIFY, 0, 1, display, request.requestor,
                                    request.selection, request.target, request.property,
                                    request.time)
        x11.XSendEvent(display, ctypes.c_ulong(request.requestor), 0, ctypes.c_long(0),
                       ctypes.byref(event))
        x11.XFlush(display)

    def wait_for(name):
        until = time.monotonic() + patience
        while time.monotonic() < until:
            if not x11.XPending(display):
                time.sleep(0.02)
                continue
            event = Event()
            x11.XNextEvent(display, ctypes.byref(event))
            if event.type == SELECTION_REQUEST:
                answer(event.request)
            elif event.type == CLIENT_MESSAGE and event.message.message_type == atom(name):
                return
        raise AssertionError(f"the window sent no {name}")

    uris = "".join(f"file://{urllib.parse.quote(path)}\r\n" for path in paths).encode()
    source = small_window(x11, display)
    x11.XSetSelectionOwner(display, ctypes.c_ulong(atom("XdndSelection")), ctypes.c_ulong(source),
                           ctypes.c_ulong(0))
    send("XdndEnter", source, 5 << 24, atom("text/uri-list"), 0, 0)
    send("XdndPosition", source, 0, 640 << 16 | 400, 0, atom("XdndActionCopy"))
    wait_for("XdndStatus")
    send("XdndDrop", source, 0, 0, 0, 0)
    wait_for("XdndFinished")
    x11.XCloseDisplay(display)
