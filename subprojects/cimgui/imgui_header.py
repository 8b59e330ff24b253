"""Read Dear ImGui's public headers into plain data: enums, structs, functions.

This is no C++ parser. It knows the few forms Dear ImGui's headers are written in, and CPP_ONLY
names the C++ forms that have no counterpart in C. Whatever is neither is listed in Header.left_out,
or is a Gap in its struct, with a sentence: nothing is dropped in silence.
"""
import bisect
import pathlib
import re
import struct
import subprocess
import tempfile
from dataclasses import dataclass, field
from typing import Optional

# What has no place in a C header, and why. Matched against the start of a declaration.
CPP_ONLY = [
    (r"template\b", "a template; each ImVector<T> in use becomes a C struct of its own"),
    (r"struct ImNewWrapper\b", "tag of Dear ImGui's placement new"),
    (r"(?:inline )?[\w*& ]*\boperator\b", "an operator; C reads the fields"),
    (r"(?:inline )?~\w+\(", "a destructor; TYPE_destroy() runs it"),
    (r"static char EmptyString\[1\]", "a static member: it takes no room in the struct"),
    (r"static_assert\b", "checked when the C++ is compiled"),
    (r"typedef ImFontAtlasCustomRect CustomRect$", "an obsolete name for a type"),
    (r"inline [\w*& ]+\b\w+::\w+\(", "the body of a member function declared before"),
    (r".*\) ?= ?delete$", "a function that is not there"),
]


class Untranslatable(Exception):
    """A declaration that is neither understood nor known to be C++ only; its text is a sentence."""

    def __init__(self, where, text, reason):
        text = " ".join(text.split())
        text = text if len(text) <= 120 else text[:117] + "..."
        super().__init__(f"{where}: cannot turn `{text}` into C: {reason}")


@dataclass
class Parameter:
    type: str  # C++ type without the name: "const ImVec2&", "float", "bool(*)(void* data, int idx)"
    name: str  # "..." for the variable part
    array: str = ""  # "[2]"

    @property
    def function_pointer(self):
        return "(*)" in self.type


@dataclass
class Function:
    name: str
    result: str  # C++ type; "" for a constructor
    parameters: list
    owner: Optional[str] = None  # the struct it is a member of
    static: bool = False
    format_at: int = 0  # 1-based position of a printf format, `this` counted; 0 if none
    where: str = ""

    @property
    def constructor(self):
        return self.owner is not None and self.name == self.owner

    @property
    def variadic(self):
        return bool(self.parameters) and self.parameters[-1].name == "..."


@dataclass
class Field:
    type: str
    name: str
    suffix: str = ""  # "[5]" or " : 8"

    @property
    def bits(self):
        return ":" in self.suffix


@dataclass
class Gap:
    """A field that has no translation: in C, bytes that hold its place."""

    why: Untranslatable
    name: str = ""  # "" if it could not be made out
    size: int = 0  # bytes, padding included; the C++ compiler knows


@dataclass
class Struct:
    name: str
    qualified: str  # as C++ names it: "ImGuiStorage::ImGuiStoragePair"
    members: list = field(default_factory=list)  # Field, Union or Gap


@dataclass
class Union:
    """A union without a name; its members are reached as if they were the struct's."""

    members: list


@dataclass
class Enum:
    name: str
    underlying: str  # "int" unless the header says another
    body: str


@dataclass
class LeftOut:
    """A declaration that has no translation."""

    why: Untranslatable
    name: str  # of the type or function; "" if it could not be made out
    owner: Optional[str] = None  # of a member function
    function: bool = False


@dataclass
class Header:
    typedefs: list = field(default_factory=list)
    enums: list = field(default_factory=list)
    forward: list = field(default_factory=list)  # struct names, in order of appearance
    structs: list = field(default_factory=list)
    functions: list = field(default_factory=list)
    left_out: list = field(default_factory=list)


@dataclass
class Declaration:
    head: str  # all before the ; or {
    body: Optional[str]  # between the braces
    head_at: int  # position in the text
    body_at: int


class Source:
    """Preprocessed text of some headers, and which line of which file each position came from."""

    def __init__(self, preprocessed, file_names):
        keep, starts, places, position = [], [], [], 0
        inside, path, number = False, "", 0
        for line in preprocessed.splitlines():
            marker = re.match(r'# (\d+) "([^"]*)"', line)
            if marker:
                number, path = int(marker[1]) - 1, marker[2]
                inside = path.rsplit("/", 1)[-1] in file_names
                continue
            number += 1
            if not inside or line.startswith("#pragma"):
                continue
            starts.append(position)
            places.append(f"{path}:{number}")
            keep.append(line + "\n")
            position += len(line) + 1
        self.text = "".join(keep)
        self._starts, self._places = starts, places

    def where(self, position):
        return self._places[bisect.bisect_right(self._starts, position) - 1]


def preprocess(command, file_names, source, depfile=None):
    """Run the C++ compiler's preprocessor over `source`; keep what came from `file_names`."""
    options = ["-E", "-x", "c++", "-DIMGUI_API=IMGUI_API", "-DIMGUI_IMPL_API=IMGUI_API"]
    if depfile:
        options += ["-MD", "-MF", depfile[0], "-MT", depfile[1]]
    run = subprocess.run(command + options + ["-"], input=source, capture_output=True, text=True)
    if run.returncode != 0:
        raise SystemExit(f"gen_cimgui.py: the preprocessor failed:\n{run.stderr}")
    return Source(run.stdout, file_names)


def constants(command, include, expressions):
    """Values of C++ constant expressions, from an object file: also where nothing can be run."""
    marker = 0x53656c766167655f
    numbers = ", ".join(f"(unsigned long long)({text})" for text in [hex(marker)] + expressions)
    source = f"#include <stddef.h>\n{include}"\
             f"extern const unsigned long long answers[] = {{{numbers}}};\n"
    with tempfile.TemporaryDirectory() as folder:
        target = pathlib.Path(folder) / "answers.o"
        run = subprocess.run(command + ["-x", "c++", "-w", "-c", "-", "-o", str(target)],
                             input=source, capture_output=True, text=True)
        if run.returncode != 0:
            raise SystemExit(f"gen_cimgui.py: the compiler failed:\n{run.stderr}")
        data = target.read_bytes()
    order = "<" if struct.pack("<Q", marker) in data else ">"
    start = data.index(struct.pack(order + "Q", marker))
    return struct.unpack_from(f"{order}{1 + len(expressions)}Q", data, start)[1:]


def closing(text, start):
    """Position just past the bracket that closes the one at `start`."""
    pairs = {"(": ")", "{": "}", "[": "]"}
    expected, i = [], start
    while i < len(text):
        c = text[i]
        if c in "\"'":
            i = end_of_literal(text, i)
            continue
        if c in pairs:
            expected.append(pairs[c])
        elif expected and c == expected[-1]:
            expected.pop()
            if not expected:
                return i + 1
        i += 1
    raise Untranslatable("imgui.h", text[start:start + 60], "a bracket is never closed")


def end_of_literal(text, start):
    i = start + 1
    while text[i] != text[start]:
        i += 2 if text[i] == "\\" else 1
    return i + 1


def split_commas(text):
    """Split at the commas outside brackets and literals."""
    parts, start, i = [], 0, 0
    while i < len(text):
        if text[i] in "([{":
            i = closing(text, i)
        elif text[i] in "\"'":
            i = end_of_literal(text, i)
        else:
            if text[i] == ",":
                parts.append(text[start:i])
                start = i + 1
            i += 1
    return [part.strip() for part in parts + [text[start:]] if part.strip()]


def declarations(text, base):
    """Split `text`, which starts at position `base` of the source, into Declarations."""
    start = i = 0
    while i < len(text):
        c = text[i]
        if c == ";":
            if text[start:i].strip():
                yield Declaration(text[start:i], None, base + start, 0)
            i += 1
            start = i
        elif c == "{":
            end = closing(text, i)
            yield Declaration(text[start:i], text[i + 1:end - 1], base + start, base + i + 1)
            i = end
            while i < len(text) and text[i] in " \n;":  # a struct ends in ;
                i += 1
            start = i
        elif c in "([":
            i = closing(text, i)
        elif c in "\"'":
            i = end_of_literal(text, i)
        else:
            i += 1


def top_level(text, wanted):
    """Position of the first of the characters `wanted` outside [], or -1."""
    i = 0
    while i < len(text):
        if text[i] in wanted:
            return i
        i = closing(text, i) if text[i] == "[" else i + 1
    return -1


class Reader:
    def __init__(self, source):
        self.source = source
        self.header = Header()

    def read(self):
        for d in declarations(self.source.text, 0):
            try:
                self.top(d)
            except Untranslatable as problem:
                self.header.left_out.append(LeftOut(problem, declared_type(clean(d.head))))
        return self.header

    def place(self, d):
        blank = len(d.head) - len(d.head.lstrip())
        return self.source.where(d.head_at + blank)

    def top(self, d):
        head = clean(d.head)
        if is_cpp_only(head):
            return
        if match := re.fullmatch(r"struct (\w+)", head):
            self.remember(match[1])
            if d.body is not None:
                self.struct(match[1], match[1], d)
        elif match := re.fullmatch(r"enum (\w+)(?: ?: ?([\w ]+))?", head):
            if d.body is not None:
                self.header.enums.append(Enum(match[1], match[2] or "int", d.body))
        elif head.startswith("typedef ") and d.body is None:
            if re.search(r"[<&]|::", head):
                raise Untranslatable(self.place(d), head, "the type exists in C++ only")
            self.header.typedefs.append(head)
        elif head == "namespace ImGui" and d.body is not None:
            for inner in declarations(d.body, d.body_at):
                self.add_function(inner, None)
        elif head.startswith("IMGUI_API ") and d.body is None:
            self.add_function(d, None)
        else:
            raise Untranslatable(self.place(d), d.head, "this form of declaration is not known")

    def remember(self, name):
        if name not in self.header.forward:
            self.header.forward.append(name)

    def struct(self, name, qualified, d):
        struct = Struct(name, qualified)
        for inner in declarations(d.body, d.body_at):
            try:
                self.member(struct, inner)
            except Untranslatable as problem:
                struct.members.append(Gap(problem, declared_field(clean(inner.head))))
        self.header.structs.append(struct)

    def member(self, struct, d):
        head = clean(d.head)
        head = re.sub(r"^IMGUI_API (?=static|~)", "", head)
        if is_cpp_only(head):
            return
        if match := re.fullmatch(r"struct (\w+)", head):
            if d.body is None:
                raise Untranslatable(self.place(d), head, "a nested struct is declared elsewhere")
            self.remember(match[1])
            self.struct(match[1], f"{struct.qualified}::{match[1]}", d)
        elif head == "union" and d.body is not None:
            members = []
            for inner in declarations(d.body, d.body_at):
                members += self.fields(inner)
            struct.members.append(Union(members))
        elif self.looks_like_function(head):
            self.add_function(d, struct.name)
        else:
            struct.members += self.fields(d)

    @staticmethod
    def looks_like_function(head):
        at = top_level(head, "(=")
        return at >= 0 and head[at] == "(" and not re.match(r"\(\s*\*", head[at:])

    def fields(self, d):
        """The fields of `float x, y`, `int (*f)(int)`, `ImU8 a[4]`, `int n : 8`, `int n = 3`."""
        head = clean(d.head)
        if d.body is not None and not head:
            raise Untranslatable(self.place(d), d.body, "a block without a name")
        head = re.sub(r"^mutable ", "", head)
        if match := re.fullmatch(r"([\w *]+?) ?\( ?\* ?(\w+) ?\) ?(\(.*\))", head):
            return [Field(f"{match[1]} (*)", match[2], match[3])]

        first, *more = split_commas(head)
        # The initialiser says how C++ constructs it; it takes no part in the layout.
        declarators = [clean(part.split("=")[0]) for part in [first] + more]
        suffix = r"((?: ?\[[^]]*\])*|(?: ?: ?\d+))"
        match = re.fullmatch(r"((?:[\w:]|<[\w *]+>|[ *])+?[ *>])(\w+)" + suffix, declarators[0])
        if not match or re.match(r"(static|virtual|friend|using|enum|union|class)\b", head):
            raise Untranslatable(self.place(d), d.head, "it is not a field of a form known here")
        c_type = match[1].strip()
        result = [Field(c_type, match[2], match[3])]
        for text in declarators[1:]:
            match = re.fullmatch(r"(\w+)" + suffix, text)
            if not match or c_type.endswith("*"):
                raise Untranslatable(self.place(d), d.head, "pointers share one declaration")
            result.append(Field(c_type, match[1], match[2]))
        return result

    def add_function(self, d, owner):
        try:
            self.header.functions.append(self.function(d, owner))
        except Untranslatable as problem:
            name = re.search(r"(\w+) ?\(", d.head)
            self.header.left_out.append(LeftOut(problem, name[1] if name else "", owner, True))

    def function(self, d, owner):
        where = self.place(d)
        head, format_at = self.take_format(clean(d.head), where)
        head = re.sub(r"^(?:IMGUI_API |inline |explicit )+", "", head)
        static = head.startswith("static ")
        head = re.sub(r"^(?:static |inline )+", "", head)

        opening = top_level(head, "(")
        match = re.fullmatch(r"(.*?)\b(\w+) ?", head[:opening]) if opening >= 0 else None
        if not match:
            raise Untranslatable(where, d.head, "it is not a function of a form known here")
        end = closing(head, opening)
        # A constructor's list of initialisers may follow.
        if not re.fullmatch(r"(?: ?const)?(?: ?:.*)?", head[end:]):
            raise Untranslatable(where, d.head, f"`{head[end:].strip()}` after the parameters")
        result, name = match[1].strip(), match[2]
        if not result and name != owner:
            raise Untranslatable(where, d.head, "it has no result type")
        listed = split_commas(head[opening + 1:end - 1])
        parameters = [self.parameter(text, where) for text in listed if text != "void"]
        function = Function(name, result, parameters, owner, static and owner is not None,
                            format_at, where)
        if function.variadic and not format_at:
            raise Untranslatable(where, d.head, "variable arguments without a printf format")
        return function

    @staticmethod
    def take_format(head, where):
        """Remove __attribute__((format(printf, n, ...))); return the rest and n."""
        at = head.find("__attribute__")
        if at < 0:
            return head, 0
        end = closing(head, head.index("(", at))
        match = re.search(r"format ?\( ?printf ?, ?(\d+)", head[at:end])
        if not match or "__attribute__" in head[end:]:
            raise Untranslatable(where, head, "an attribute other than a printf format")
        return clean(head[:at] + head[end:]), int(match[1])

    @staticmethod
    def parameter(text, where):
        text = clean(text)
        if text == "...":
            return Parameter("", "...")
        if match := re.fullmatch(r"([\w *]+?) ?\( ?\* ?(\w+) ?\) ?(\([^()]*\))(?: ?=.*)?", text):
            return Parameter(f"{match[1]}(*){match[3]}", match[2])
        text = clean(text.split("=")[0])
        match = re.fullmatch(r"((?:[\w:]|<[\w *]+>|[ *&])+?[ *&>])(\w+)((?:\[[^]]*\])*)", text)
        if not match:
            raise Untranslatable(where, text, "it is not a parameter of a form known here")
        return Parameter(match[1].strip(), match[2], match[3])


def clean(text):
    """One space where there was any, one after <T>, none before * and &."""
    return re.sub(r" (?=[*&])", "", re.sub(r">(?=\w)", "> ", " ".join(text.split())))


def is_cpp_only(head):
    return any(re.match(pattern, head) for pattern, _ in CPP_ONLY)


def declared_type(head):
    """The name that `class X : Y`, `enum class X`, `using X = Y` or `typedef Y X` declares."""
    match = re.match(r"(?:class|struct|enum(?: class| struct)?|using) (\w+)", head) or \
        re.match(r"typedef .*?\( ?\* ?(\w+) ?\)|typedef .*?(\w+)(?:\[[^]]*\])*$", head)
    return next((name for name in match.groups() if name), "") if match else ""


def declared_field(head):
    """The name that a member declares, as far as one can tell without understanding it."""
    match = re.search(r"(\w+)(?: ?\[[^]]*\])*(?: ?=.*)?$", head)
    return match[1] if match else ""


def read_header(source):
    return Reader(source).read()
