#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""embed.py OUT.c FILE...: writes each file as a string: exported.c.in is exported_c[]."""
import pathlib
import re
import sys


def c_string(text):
    text = text.replace("\\", "\\\\").replace('"', '\\"')
    return "".join(f'\n\t"{line}\\n"' for line in text.splitlines())


with open(sys.argv[1], "w", encoding="utf-8") as out:
    out.write("/* Written by embed.py. */\n")
    for path in map(pathlib.Path, sys.argv[2:]):
        name = re.sub(r"\W", "_", path.name.removesuffix(".in"))
        out.write(f"extern const char {name}[];\n\n"
                  f"const char {name}[] ={c_string(path.read_text(encoding='utf-8'))};\n")
