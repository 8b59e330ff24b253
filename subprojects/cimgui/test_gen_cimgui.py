#!/usr/bin/env python3
"""The generator leaves out what it cannot translate and says so; a wrong layout does not compile.

usage: test_gen_cimgui.py CXX [OPTION...] -IIMGUI_INCLUDE_DIRECTORY [-IDIRECTORY...]

Each test edits a copy of the installed headers.
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).parent
FOLDERS = [argument[len("-I"):] for argument in sys.argv[1:] if argument.startswith("-I")]
INSTALLED = next(path for path in map(pathlib.Path, FOLDERS) if (path / "imgui.h").exists())
CXX = [argument for argument in sys.argv[1:] if argument != f"-I{INSTALLED}"]
CC = [argument for argument in CXX if not argument.startswith("-")] + ["-x", "c"]


class Generator(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.out = pathlib.Path(folder.name)
        self.headers = self.out / "imgui"
        shutil.copytree(INSTALLED, self.headers)

    def edit(self, pattern, replacement):
        path = self.headers / "imgui.h"
        text, count = re.subn(pattern, replacement, path.read_text(), count=1)
        self.assertEqual(count, 1, f"imgui.h holds no {pattern}")
        path.write_text(text)

    def generate(self, *options):
        command = [sys.executable, "-B", HERE / "gen_cimgui.py", self.out, self.out / "depfile"]
        return subprocess.run(command + CXX + [*options, f"-I{self.headers}"],
                              capture_output=True, text=True)

    def compile_binding(self, headers, *options):
        command = CXX + [*options, "-std=c++17", "-Wall", "-Wextra", "-Werror", "-fsyntax-only",
                         f"-I{headers}", self.out / "cimgui.cpp"]
        return subprocess.run(command, capture_output=True, text=True)

    def compile_c(self, code):
        source = self.out / "caller.c"
        source.write_text(f'#include "cimgui.h"\n{code}\n')
        command = CC + ["-std=gnu11", "-Wall", "-Werror", "-fsyntax-only", source]
        return subprocess.run(command, capture_output=True, text=True)

    def assert_generates(self, *options):
        result = self.generate(*options)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result.stdout

    def assert_compiles(self, result):
        self.assertEqual(result.returncode, 0, result.stderr)

    def assert_left_out(self, named, reason):
        """Generates and compiles without it, and says one line about it."""
        log = self.assert_generates()
        self.assertRegex(log, rf"^gen_cimgui\.py: left out {named}: \S+: cannot turn `.*` into C: ")
        self.assertIn(reason, log.splitlines()[0])
        self.assert_compiles(self.compile_binding(self.headers))
        self.assert_compiles(self.compile_c("float f(void) { return igGetIO_Nil()->DeltaTime; }"))
        return log

    def assert_stops(self, code, sentence):
        """A C program that uses what is left out does not compile, with the sentence."""
        result = self.compile_c(code)
        self.assertNotEqual(result.returncode, 0)
        self.assertIn(sentence, result.stderr)

    # --- layouts

    def test_installed_headers_pass(self):
        self.assertEqual(self.assert_generates(), "", "everything installed is translated")
        self.assert_compiles(self.compile_binding(INSTALLED))

    def test_library_without_obsolete_parts(self):
        for option in ["-DIMGUI_DISABLE_OBSOLETE_FUNCTIONS", "-DIMGUI_DISABLE_OBSOLETE_KEYIO",
                       "-DIMGUI_USE_WCHAR32"]:
            self.assert_generates(option)
            self.assert_compiles(self.compile_binding(INSTALLED, option))

    def test_enum_of_another_size(self):
        self.edit(r"struct ImVec2\n",
                  "enum ImGuiSmall : ImU8 { ImGuiSmall_Three = 3 };\nstruct ImVec2\n")
        self.edit(r"(float\s+DeltaTime;)", r"ImGuiSmall First, Second; \1")
        self.assertEqual(self.assert_generates(), "")
        self.assert_compiles(self.compile_binding(self.headers))
        self.assert_compiles(self.compile_c("_Static_assert(sizeof(ImGuiSmall) == 1, \"\");"
                                            "int f(void) { return ImGuiSmall_Three; }"))

    def test_wrong_size_does_not_compile(self):
        self.edit(r"float(\s+IniSavingRate;)", r"double\1")
        self.assert_generates()
        result = self.compile_binding(INSTALLED)
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("ImGuiIO.IniSavingRate lies elsewhere in C", result.stderr)

    def test_swapped_fields_do_not_compile(self):
        self.edit(r"DeltaTime;(.*\n\s+float\s+)IniSavingRate;", r"IniSavingRate;\1DeltaTime;")
        self.assert_generates()
        result = self.compile_binding(INSTALLED)
        self.assertNotEqual(result.returncode, 0)

    def test_wrong_enumerator_does_not_compile(self):
        self.edit(r"(ImGuiSliderFlags_Logarithmic\s*=) 1 << 5", r"\1 1 << 9")
        self.assert_generates()
        result = self.compile_binding(INSTALLED)
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("ImGuiSliderFlags_Logarithmic has another value in C", result.stderr)

    def test_member_initialisers(self):
        self.edit(r"float(\s+)DeltaTime;", r"float\1DeltaTime = 1.0f / 60.0f;")
        self.edit(r"ImVec2(\s+)DisplaySize;", r"ImVec2\1DisplaySize{ 0.0f, 0.0f };")
        self.assert_generates()
        result = self.compile_binding(self.headers)
        self.assertEqual(result.returncode, 0, result.stderr)

    # --- what cannot be translated

    def test_unknown_declaration(self):
        self.edit(r"struct ImVec2\n", "class Surprise { public: int hidden; };\nstruct ImVec2\n")
        self.edit(r"(IMGUI_API void\s+NewFrame\(\);)", r"\1 IMGUI_API void Take(Surprise* it);")
        log = self.assert_left_out("Surprise", "this form of declaration is not known")
        self.assertIn("left out igTake:", log)
        self.assert_stops("void f(void) { igTake(0); }", "Surprise was left out")

    def test_alias_takes_its_users_along(self):
        self.edit(r"struct ImVec2\n", "typedef int& Alias;\nstruct ImVec2\n")
        self.edit(r"(IMGUI_API void\s+NewFrame\(\);)",
                  r"\1 static inline Alias Give(Alias a) { return a; }")
        log = self.assert_left_out("Alias", "the type exists in C++ only")
        self.assertIn("left out igGive:", log)

    def test_unknown_field(self):
        self.edit(r"struct ImVec2\n", "#include <utility>\nstruct ImVec2\n")
        self.edit(r"(float\s+DeltaTime;)", r"char Odd; std::pair<int, short> Range[3]; \1")
        self.assert_left_out(r"ImGuiIO\.Range", "it is not a field of a form known here")
        self.assert_stops("int f(void) { return igGetIO_Nil()->Range[0]; }",
                          "it is not a field of a form known here")

    def test_unknown_field_at_the_end(self):
        self.edit(r"struct ImGuiPayload\n{",
                  "class Surprise { public: long hidden; };\nstruct ImGuiPayload\n{")
        self.edit(r"(bool\s+Delivery;.*\n)", r"\1 int A; Surprise First, Last;\n")
        log = self.assert_left_out("Surprise", "this form of declaration is not known")
        self.assertIn("left out ImGuiPayload.First:", log)

    def test_fields_without_an_address(self):
        self.edit(r"struct ImGuiPayload\n{",
                  "class Surprise { public: long hidden; };\nstruct ImGuiPayload\n{ "
                  "int Low : 3; Surprise Hidden; ")
        log = self.assert_left_out("Surprise", "this form of declaration is not known")
        self.assertIn("left out the fields of ImGuiPayload:", log)
        self.assert_compiles(self.compile_c(
            "const ImGuiPayload *f(void) { return igGetDragDropPayload(); }"))

    def test_overload_by_const(self):
        self.edit(r"(bool\s+Delivery;.*\n)",
                  r"\1 int Both() { return 1; } int Both() const { return 2; }\n")
        self.assert_left_out("Both", "C would have two functions of one name")
        self.assert_compiles(self.compile_c(
            "int f(ImGuiPayload *payload) { return ImGuiPayload_Both(payload); }"))

    def test_unknown_parameter(self):
        self.edit(r"(IMGUI_API void\s+NewFrame\(\);)", r"\1 inline void Move(int&& it) { it = 0; }")
        self.assert_left_out("igMove", "the type exists in C++ only")
        self.assert_stops("void f(void) { igMove(0); }", "the type exists in C++ only")

    def test_format_without_attribute(self):
        self.edit(r"(IMGUI_API void\s+Text\(const char\* fmt, \.\.\.\))\s*IM_FMTARGS\(1\)", r"\1")
        self.assert_left_out("igText", "variable arguments without a printf format")
        self.assert_stops('void f(void) { igText("x"); }',
                          "variable arguments without a printf format")

    def test_other_attribute(self):
        self.edit(r"(IMGUI_API void\s+NewFrame\(\))", r"\1 __attribute__((cold))")
        self.assert_left_out("igNewFrame", "an attribute other than a printf format")
        self.assert_stops("void f(void) { igNewFrame(); }",
                          "an attribute other than a printf format")

    # --- what C sees

    def test_formats_are_checked(self):
        self.assert_generates()
        for call in ['igText("%d", text)', 'igTextColored(white, "%d", text)',
                     'igTreeNodeEx_StrStr("id", 0, "%d", text)']:
            result = self.compile_c(f"void f(char *text, ImVec4 white) {{ {call}, (void)white; }}")
            self.assertRegex(result.stderr, "-Werror[,=]-?W?format", call)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
