#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""wrong.py RDMASH [LESSON...]: a learner at a terminal of 80x24 takes lessons and does each step wrongly
first, each time in another way: the lines in reverse, twice, only the last, what belongs to no step, all
objects destroyed, regions that are too small, a QP in RESET, Ctrl-C, Ctrl-D and back, another size of the
terminal. Then the lines that 'lesson hint' shows must lead on, the second time at the latest. On uroce."""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

PROMPT = re.compile(r"^(rdmash|uroce0)[^>]*> ?")
TYPE_THIS = re.compile(r"\x1b\[1m\x1b\[36m|\x1b\[1;36m")


def plain(text):
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


class Terminal:
    """A program in a private tmux."""

    def __init__(self, rdmash, home):
        self.rdmash, self.socket = rdmash, home + "/tmux"
        self.env = dict(os.environ, LC_ALL="C.UTF-8", HOME=home, XDG_STATE_HOME=home, XDG_CONFIG_HOME=home, PAGER="")
        self.env.pop("TMUX", None)
        self.tmux("start-server", ";", "set", "-s", "exit-empty", "off", ";", "set", "-g", "status", "off", ";",
                  "set", "-g", "history-limit", "5000", ";", "set", "-g", "escape-time", "0")
        self.start()

    def tmux(self, *words):
        return subprocess.run(["tmux", "-u", "-S", self.socket, "-f", "/dev/null", *words], env=self.env, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False).stdout

    def start(self):
        runner = f"sh -c 'trap : INT; {self.rdmash}; echo \"[ended $?]\"; while read -r l; do :; done'"
        self.tmux("new-session", "-d", "-x", "80", "-y", "24", runner)
        self.await_prompt()

    def screen(self, *how):
        return self.tmux("capture-pane", "-p", "-J", *how)

    def until(self, holds, what):
        end = time.monotonic() + 100
        pause = 0.02
        while not holds():
            if time.monotonic() > end:
                sys.exit(f"not ok: {what}; the screen:\n{self.screen()}")
            time.sleep(pause)
            pause = min(pause * 2, 0.16)

    def at_prompt(self):
        lines = [line for line in self.screen().split("\n") if line.strip()]
        return bool(lines) and re.match(r"^[^>]*> *$", lines[-1]) is not None

    def await_prompt(self):
        self.until(self.at_prompt, "no prompt")

    def key(self, *names):
        self.tmux("send-keys", *names)

    def run(self, line):
        """The text of the line, with its colours."""
        self.tmux("clear-history")
        self.tmux("send-keys", "-l", "--", line)
        if line:
            self.until(lambda: not self.at_prompt(), f"{line} is not shown")
        self.key("Enter")
        self.await_prompt()
        lines = self.screen("-e", "-S", "-400").split("\n")
        typed = [i for i, text in enumerate(lines) if PROMPT.sub("", plain(text)).strip() and PROMPT.match(plain(text))]
        return "\n".join(lines[typed[-1] if typed else 0:])

    def leave(self):
        """Ctrl-D, and a new session."""
        self.key("C-d")
        self.until(lambda: "[ended" in self.screen() or "Ctrl-D again" in self.screen(), "Ctrl-D does nothing")
        if "[ended" not in self.screen():
            self.key("C-d")
            self.until(lambda: "[ended" in self.screen(), "Ctrl-D does not end it")
        self.tmux("kill-session")
        self.start()

    def interrupt(self):
        self.tmux("send-keys", "-l", "half a li")
        self.key("C-c")
        self.await_prompt()
        self.tmux("send-keys", "-l", "poll -within 60s")
        self.key("Enter")
        time.sleep(0.3)  # it may wait by now, or not yet: either is a case
        self.key("C-c")
        self.await_prompt()

    def resize(self):
        for width, height in ((40, 10), (132, 50), (80, 24)):
            self.tmux("resize-window", "-x", str(width), "-y", str(height))
        self.run("")


def run_all(t, lines):
    for line in lines:
        t.run(line)


WRONG = [
    lambda t, lines: run_all(t, lines[::-1]),
    lambda t, lines: run_all(t, ["destroy -all"]),
    lambda t, lines: run_all(t, lines[-1:]),
    lambda t, lines: run_all(t, ["nosuch", "qp create -type UD -name zz", "catch {post send}", "poll -within 50ms"]),
    lambda t, lines: t.interrupt(),
    lambda t, lines: run_all(t, [re.sub(r"\b(4096|16K)\b", "16", line) for line in lines]),
    lambda t, lines: run_all(t, lines[:1] * 2),
    lambda t, lines: t.leave(),
    lambda t, lines: run_all(t, ["modify-qp RESET", *lines]),
    lambda t, lines: t.resize(),
    lambda t, lines: run_all(t, [line.split(" -name")[0] for line in lines]),
]


class Learner:
    """One who takes a lesson."""

    def __init__(self, t, number):
        self.t, self.number, self.agains, self.wrongs = t, number, 0, number
        self.tried = set()  # steps: after 'lesson again' none is done wrongly once more

    def place(self):
        """The number of the step, 0 before the first; None: the lesson is not on."""
        said = plain(self.t.run("lesson")).replace("\n", " ")
        m = re.search(r" is on, at step (\d+) of", said)
        return int(m.group(1)) if m else 0 if "about to begin" in said else None

    def hint(self):
        said = self.t.run("lesson hint")
        lines = [plain(line).strip() for line in said.split("\n") if TYPE_THIS.search(line)]
        return plain(said), [line for line in lines if not PROMPT.match(line)]

    def answer(self):
        for number in "1234":
            if "(try another number)" not in plain(self.t.run(number)):
                return

    def do_wrong(self, lines):
        WRONG[self.wrongs % len(WRONG)](self.t, lines)
        self.wrongs += 1
        if self.place() is None:
            self.t.run(f"lesson {self.number}")

    def do(self, step):
        said, lines = self.hint()
        if "(type a number)" in said:
            run_all(self.t, ["7", "what?", ""])
            self.answer()
            return
        if step not in self.tried:
            self.tried.add(step)
            self.do_wrong(lines)
        for _ in range(2):
            if self.place() != step:
                return
            lines = self.hint()[1]
            self.agains += "lesson again" in lines
            run_all(self.t, lines)
        if self.place() == step:
            sys.exit(f"not ok: lesson {self.number} is stuck at step {step}:\n{self.t.screen()}")

    def take(self):
        self.t.run("destroy -all")
        self.t.run(f"lesson restart {self.number}")
        while (step := self.place()) is not None:
            if step:
                self.do(step)
            else:
                self.t.run("destroy -all")
        print(f"ok: lesson {self.number}, with 'lesson again' {self.agains} times", flush=True)


def main():
    rdmash, numbers = sys.argv[1], [int(word) for word in sys.argv[2:]]
    if not shutil.which("tmux"):
        print("no tmux: skipped")
        sys.exit(77)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:
        t = Terminal(rdmash, home)
        try:
            for number in numbers or range(1, len(re.findall(r"(?m)^[> ] *\d+ ", plain(t.run("lesson")))) + 1):
                Learner(t, number).take()
        finally:
            t.tmux("kill-server")


if __name__ == "__main__":
    main()
