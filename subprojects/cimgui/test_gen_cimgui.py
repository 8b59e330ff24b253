#!/usr/bin/env python3
"""The generator stops where it must: at what it cannot translate, and at a layout that is not so.

usage: test_gen_cimgui.py CXX -IIMGUI_INCLUDE_DIRECTORY

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
*CXX, INCLUDE = sys.argv[1:]
INSTALLED = pathlib.Path(INCLUDE[len("-I"):])


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

    def generate(self):
        command = [sys.executable, "-B", HERE / "gen_cimgui.py", self.out, self.out / "depfile"]
        return subprocess.run(command + CXX + [f"-I{self.headers}"], capture_output=True, text=True)

    def compile_binding(self, headers):
        command = CXX + ["-std=c++17", "-fsyntax-only", f"-I{headers}", self.out / "cimgui.cpp"]
        return subprocess.run(command, capture_output=True, text=True)

    def assert_generates(self):
        result = self.generate()
        self.assertEqual(result.returncode, 0, result.stderr)

    def assert_refused(self, named, reason):
        result = self.generate()
        self.assertNotEqual(result.returncode, 0)
        self.assertRegex(result.stderr, r"^gen_cimgui\.py: \S*imgui\.h:\d+: cannot turn ")
        self.assertIn(named, result.stderr)
        self.assertIn(reason, result.stderr)
        self.assertEqual(result.stderr.count("\n"), 1, "one sentence")

    # --- layouts

    def test_installed_headers_pass(self):
        self.assert_generates()
        result = self.compile_binding(INSTALLED)
        self.assertEqual(result.returncode, 0, result.stderr)

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
        self.edit(r"struct ImVec2\n", "class Surprise { int hidden; };\nstruct ImVec2\n")
        self.assert_refused("class Surprise", "this form of declaration is not known")

    def test_unknown_member(self):
        self.edit(r"(float\s+DeltaTime;)", r"\1 std::pair<int, int> Range;")
        self.assert_refused("Range", "it is not a field of a form known here")

    def test_virtual_member(self):
        self.edit(r"(float\s+DeltaTime;)", r"\1 virtual int Next;")
        self.assert_refused("virtual", "it is not a field of a form known here")

    def test_unknown_parameter(self):
        self.edit(r"(IMGUI_API void\s+NewFrame\()", r"\1int&& moved")
        self.assert_refused("int&", "the type exists in C++ only")

    def test_format_without_attribute(self):
        self.edit(r"(IMGUI_API void\s+Text\(const char\* fmt, \.\.\.\))\s*IM_FMTARGS\(1\)", r"\1")
        self.assert_refused("Text", "variable arguments without a printf format")

    def test_other_attribute(self):
        self.edit(r"(IMGUI_API void\s+NewFrame\(\))", r"\1 __attribute__((noinline))")
        self.assert_refused("NewFrame", "an attribute other than a printf format")

    # --- what C sees

    def test_formats_are_checked(self):
        self.assert_generates()
        for call in ['igText("%d", text)', 'igTextColored(white, "%d", text)',
                     'igTreeNodeEx_StrStr("id", 0, "%d", text)']:
            source = self.out / "caller.c"
            source.write_text('#include "cimgui.h"\n'
                              f"void f(char *text, ImVec4 white) {{ {call}, (void)white; }}\n")
            command = ["cc", "-std=gnu11", "-Wall", "-Werror", "-fsyntax-only", source]
            result = subprocess.run(command, capture_output=True, text=True)
            self.assertIn("-Werror=format", result.stderr, call)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
