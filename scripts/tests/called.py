#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""called.py RDMASH SCRIPT...: each function that a command says it calls (help coverage counts those)
is called by a command in its examples or in one of the scripts, on the embedded device in the network
of on.sh. Fails by the names of command and function."""
import json
import os
import re
import subprocess
import sys
import tempfile

RDMASH = os.path.abspath(sys.argv[1])
UNTRACED = {"ibv_inc_rkey"}  # it only computes
TRACED = re.compile(r"#\d+ +(?:set-up|prepare|data) +((?:ibv|rdma)_\w+)")


def traced(folder, file):
    done = subprocess.run([RDMASH, "-X", "-q", "-c", "trace all", "-f", file], cwd=folder, timeout=120,
                          text=True, errors="replace", stdin=subprocess.DEVNULL, capture_output=True,
                          check=False)
    return set(TRACED.findall(done.stdout + done.stderr))


def of_examples(command):
    with tempfile.TemporaryDirectory() as folder:
        with open(folder + "/examples.rdma", "w", encoding="utf-8") as file:
            file.write(command["setup"] + "\n")
            file.writelines(f"catch {{\n{eg['line']}\n}}\n" for eg in command["examples"])
        return traced(folder, "examples.rdma")


def main():
    text = subprocess.run([RDMASH, "-X", "-c", "help -json"], text=True, capture_output=True, check=True).stdout
    commands = [c for c in json.loads(text) if c["calls"]]
    seen = set().union(*map(of_examples, commands),
                       *(traced(*os.path.split(os.path.abspath(script))) for script in sys.argv[2:]))
    claimed = {(name, c["name"]) for c in commands for name in re.findall(r"((?:ibv|rdma)_\w+)\(3\)", c["calls"])}
    missing = sorted((n, c) for n, c in claimed if n not in seen | UNTRACED)
    for name, command in missing:
        print(f"not ok: {command} says that it calls {name}: nothing here does")
    print(f"{len(commands)} commands say that they call {len({n for n, _ in claimed})} functions; "
          f"{len(seen)} are called")
    return bool(missing)


sys.exit(main())
