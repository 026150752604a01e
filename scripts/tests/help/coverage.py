#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""coverage.py RDMASH SCRIPT...: scripts work while their commands are traced. Each function that a command
says it calls (help coverage counts those) is called while that command runs, in its examples, in those of
another one or in a script, on the embedded device in the network of on.sh. Calls of a command for an
earlier one that works on in the background are that one's. Fails by the names of command and function."""
import json
import os
import re
import subprocess
import sys
import tempfile

RDMASH = os.path.abspath(sys.argv[1])
UNTRACED = {"ibv_inc_rkey"}  # it only computes
# Every wait serves these: their calls are made while another command runs.
IN_BACKGROUND = {"arm", "connect", "listen", "on wc"}
# Asked again and again, tried, or measured: not in the trace.
QUIET = {("wait state", "ibv_query_qp"), ("bench", "ibv_post_send"),
         ("bench", "ibv_poll_cq")}
LINE = re.compile(r"@@(enter|leave) (.*)|.*#\d+ +(?:set-up|prepare|data) +((?:ibv|rdma)_\w+)")
# Tells when each command begins and ends. Scripts run where this is known with --unsafe only.
TELL = r"""
proc tell_command {command args} {
	echo "@@[lindex $args end] [string map {\n { }} [lrange $command 0 1]]"
}
foreach word {%s} {
	tcl_trace add execution $word {enter leave} tell_command
}
trace all
"""


class Calls:
    """Which functions were called while which command ran."""

    def __init__(self, commands):
        self.names = {c["name"] for c in commands}
        self.claims = {c["name"]: set(re.findall(r"((?:ibv|rdma)_\w+)\(3\)", c["calls"])) for c in commands}
        self.seen = {name: set() for name in self.names}

    def name_of(self, words):
        """Of the first two words of a command: its second may be shortened, or an argument."""
        first, _, second = words.partition(" ")
        fit = [n for n in self.names if second and n.startswith(f"{first} {second}")]
        return words if words in self.names else fit[0] if len(fit) == 1 else first

    def run(self, folder, file):
        """Files that it writes are left in the folder. Returns what has failed in the script, or None."""
        tell = TELL % " ".join(sorted({n.split()[0] for n in self.names} - {"echo", "set"}))
        done = subprocess.run([RDMASH, "-X", "-q", "--unsafe", "-c", tell, "-f", file], cwd=folder, timeout=120,
                              text=True, errors="replace", stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, check=False)
        running, before = [], set()
        for line in done.stdout.splitlines():
            found = LINE.match(line)
            if not found:
                continue
            event, words, function = found.groups()
            if event == "enter":
                running.append(self.name_of(words))
                before.add(running[-1])
            elif event and running:
                running.pop()
            elif function:
                for name in running[-1:] + [n for n in before & IN_BACKGROUND]:
                    self.seen.setdefault(name, set()).add(function)
        failed = [line for line in done.stdout.splitlines() if line.startswith(("not ok", "error:"))]
        return f"exit status {done.returncode}: {failed[:1]}" if done.returncode else None

    def examples(self, command):
        with tempfile.TemporaryDirectory() as folder:
            with open(folder + "/examples.rdma", "w", encoding="utf-8") as file:
                file.write(command["setup"] + "\n")
                file.writelines(f"catch {{\n{eg['line']}\n}}\n" for eg in command["examples"])
            self.run(folder, "examples.rdma")


def main():
    text = subprocess.run([RDMASH, "-X", "-c", "help -json"], text=True, capture_output=True, check=True).stdout
    commands = json.loads(text)
    calls = Calls(commands)
    for command in commands:
        if command["calls"]:
            calls.examples(command)
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        for script in sys.argv[2:]:
            why = calls.run(folder, os.path.abspath(script))
            if why:
                failures.append(f"{script}: {why}")
    missing = [(n, f) for n, claimed in sorted(calls.claims.items())
               for f in sorted(claimed - calls.seen[n] - UNTRACED) if (n, f) not in QUIET]
    failures += [f"{name} says that it calls {function}: it has not done so here" for name, function in missing]
    for failure in failures:
        print(f"not ok: {failure}")
    print(f"{sum(map(bool, calls.claims.values()))} commands say that they call "
          f"{len(set().union(*calls.claims.values()))} functions")
    return bool(failures)


sys.exit(main())
