# SPDX-License-Identifier: MIT
"""recorded.py RECORDED_H SOURCES: each source of cmds and model that calls a function which the headers of the
libraries define inline includes recorded.h: without it the call would not be recorded."""
import pathlib
import re
import sys

inline = re.findall(r"#define (\w+)\(\.\.\.\) recorded_", pathlib.Path(sys.argv[1]).read_text())
calls = re.compile(r"(?<![\w.>])(" + "|".join(inline) + r")\s*\(")
missing = checked = 0
for folder in ("cmds", "model"):
    for path in sorted(pathlib.Path(sys.argv[2], folder).rglob("*.c")):
        text = path.read_text(encoding="utf-8")
        code = re.sub(r'/\*.*?\*/|"(?:\\.|[^"\\\n])*"', "", text, flags=re.S)
        found = calls.search(code)
        if "tests" in path.parts or not found:
            continue
        checked += 1
        if '#include "recorded.h"' not in text:
            print(f"not ok: {path} calls {found[1]}() without recorded.h")
            missing += 1
print(f"{checked} sources, {missing} without recorded.h")
sys.exit(missing > 0 or checked < 10)
