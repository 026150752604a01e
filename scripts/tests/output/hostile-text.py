#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""hostile-text.py RDMASH: text that others send does nothing to the terminal.

A text with every control character, direction marks, what has no width, and bytes that are no
UTF-8 is sent through every door by which foreign text comes out: results, errors, notices,
trace lines, peers, packets, file names, pages and programs. Each is printed to a terminal (a
pty) as text, JSON and CSV, and into a pipe, and the bytes are looked at. To be run by
'on.sh uroce'."""
import os
import pty
import re
import select
import signal
import subprocess
import sys
import tempfile
import time
import unicodedata

RDMASH = os.path.abspath(sys.argv[1])
ONLY = sys.argv[2:]

CHARACTERS = "".join(
    chr(c)
    for c in [*range(1, 9), *range(11, 32), *range(0x7F, 0xA0), 0xAD, 0x61C, 0x200B, 0x200E,
              0x200F, *range(0x2028, 0x202F), 0x2060, *range(0x2066, 0x206A), 0xFEFF, 0xE0041])
HOSTILE = (b"<&\"'*/ \x1b[5m\x1b[2J\x1b]0;owned\x07" + CHARACTERS.encode() +
           b"\xff\xfe \xc0\x9b \xe0\x80\x9b \xed\xa0\x80 \xe2\x80 end")
# what one value in Tcl, made of these bytes, is called in the scripts below
PRELUDE = f"""
reg 4096 -name hostile_mr -access local-write,remote-write,remote-read
mem put hostile_mr 0 [binary format H* {HOSTILE.hex()}]
set hostile [mem get hostile_mr -text]
set short "\\x1b\\]0;x\\x07\\u202e\\u009b"
"""
CONNECT = """
listen 7471 -address 10.0.0.1 -name door
connect 10.0.0.1 7471 -name out -prepare
"""
RPC = """
rpc serve value {} {return $::hostile}
rpc serve failing {} {error $::hostile}
rpc serve coded {} {return -code error -errorcode [list A $::hostile] $::hostile}
set port [dict get [rpc listen 0] port]
rpc connect 127.0.0.1 $port
"""

# door: a script whose output has the text. The script may fail: its error is output too.
DOORS = {
    "result: mem get -text": "mem get hostile_mr -text",
    "result: text load": "text load hostile.txt",
    "result: of tcp recv": """
        set p [dict get [tcp listen 0 -address 127.0.0.1 -name l] port]
        tcp connect 127.0.0.1 $p -name a; tcp accept l -name b
        tcp send a -mr hostile_mr -len 40; tcp recv b 40""",
    "echo": "echo $hostile",
    "puts": "puts $hostile",
    "text save: a link to a stream": "text save out.link $hostile",
    "mem save: a link to a stream": "mem save hostile_mr err.link -len 60",
    "expect: name": "expect -name $hostile -true 1",
    "expect: value": "expect -value $short {set hostile}",
    "rpc: value": RPC + "rpc call rpc0 value",
    "rpc: error": RPC + "rpc call rpc0 failing",
    "rpc: error in background": RPC + "rpc call rpc0 coded -background; rpc result",
    "rpc: method's name": RPC + "rpc call rpc0 $short",
    "error: of Tcl": "error $hostile",
    "error: with lines": "error \"first\\nerror: second $hostile\"",
    "error: a command's name": "$short 1",
    "error: an argument": "reg $hostile",
    "error: an option": "reg 64 -$short 1",
    "error: a file's name": "text load $short",
    "error: a script's name": "source $short",
    "error: a host's name": "connect $short 7471 -within 2s",
    "error: a device's name": "gids $short",
    "error: an object's name": "reg 64 -name $short",
    "progress": "progress 1 1 -note $short",
    "trace: arguments": "trace all; set p [dict get [tcp listen 0] port]; connect $short $p",
    "notice: private data": CONNECT + """trace all
        cm connect out -nowait -private-data $short; accept -private-data $short
        wait event ESTABLISHED -id out -within 60s""",
    "private data": CONNECT + """
        cm connect out -nowait -private-data $short; accept; echo [private-data door-1]
        private-data out; show""",
    "reject data": CONNECT + """
        cm connect out -nowait; cm event door -within 60s; reject -private-data $short
        cm event out -within 60s; private-data out""",
    "oob": """qp create -name q
        set p [dict get [oob listen 0 -background -address 127.0.0.1] port]
        tcp connect 127.0.0.1 $p -name t
        set json "{\\"qpn\\": \\"$short\\"}"
        tcp send t [binary format Ia* [string length $json] $json]; oob accept""",
    "peer: what it prints": "peer b; @b echo $hostile",
    "peer: its value": "peer b; set v [@b set x $hostile]; set v; mem put hostile_mr 0 $v; "
                       "mem get hostile_mr -text",
    "peer: its error": "peer b; @b error $hostile",
    "peer: in background": """peer b; @b -background {error "\\x1b\\]0;x\\x07"}
        wait until {[dict get [@b] state] eq "idle"} -within 60s""",
    "timeline": CONNECT + "timeline on; cm connect out -nowait -private-data $short; accept\n"
                "catch {connect $short 1}; timeline",
    "call: a function's name": "call $short",
    "call: an object's name": "call ibv_dealloc_pd $short",
    "call: a number": "buf 64; call ibv_reg_mr pd0 buf0 $short LOCAL_WRITE",
    "call: a word": "buf 64; call ibv_reg_mr pd0 buf0 64 $short",
    "call: a member": "call ibv_create_srq pd0 [list $short 1]",
    "call: a string": "trace all; call rdma_getaddrinfo $short 7471 {}",
    "call: bytes": CONNECT + "trace all; call rdma_connect out [dict create private_data $short]",
    "echo of commands": ("-x", "set x \x1b]0;x\x07"),
    "-n": ("-n", "reg \x1b]0;x\x07"),
    "record": "error $hostile",
}
# Programs in place of rdmash, which --unsafe or the command line may start.
LAUNCHERS = {
    "peer: another program": ["-c", "peer b -command {sh -c {cat hostile.txt} --}"],
    "peer: that never answers": ["-c", "peer b -command {sh -c {cat hostile.txt; exec sleep 9} --} "
                                       "-within 1s"],
    "-f a file's name": ["-f", "\x1b]0;x\x07.rdma"],
    "--allow-dir": ["--allow-dir", "\x1b]0;x\x07", "-c", "show"],
    "--color": ["--color=\x1b]0;x\x07"],
}
# files that are written: (file, script)
FILES = {
    "report": ("page.html", CONNECT + "timeline on; cm connect out -nowait -private-data $short\n"
               "accept; catch {connect $short 1}; catch {error $hostile}; report page.html"),
    "export c": ("program.c", CONNECT + "cm connect out -nowait -private-data $short; accept\n"
                 "mem put hostile_mr 0 $hostile; catch {reg 8 -name $short}; export c program.c"),
}

# bytes of others that are shown in hex: nothing to be seen of the text itself
HEX = {"notice: private data", "private data", "reject data", "timeline"}
# those whose value is bytes: hex in JSON
HEX_JSON = {"result: of tcp recv"}

FORBIDDEN = {"Cc", "Cf", "Zl", "Zp", "Cs", "Co"}
OURS = re.compile(rb"\x1b\[(?:0|1|2|31|32|33|35|36)m|\r(?=\[#)|\x1b\[K(?=\n)")
ESCAPE = re.compile(rb"\\x1b|\\u001b|\\u202e|\\x07|\\u0007|\\u009b")
failures = []
checked = 0


def acts(data):
    """The bytes that would act on a terminal or deceive; None: there are none."""
    try:
        text = OURS.sub(b"", data.replace(b"\r\n", b"\n")).decode("utf-8")
    except UnicodeDecodeError as why:
        return f"no UTF-8: {why}"
    for c in text:
        if unicodedata.category(c) in FORBIDDEN and c not in "\n\t":
            return f"U+{ord(c):04x} in {text!r:.300}"
    return None


def run_pty(command, keys=None):
    """All that the command prints on a terminal of its own."""
    pid, fd = pty.fork()
    if pid == 0:
        os.execv(command[0], command)
    got = b""
    end = time.monotonic() + 30
    while time.monotonic() < end:
        if keys and keys[0][0] in got:
            os.write(fd, keys.pop(0)[1])
        ready, _, _ = select.select([fd], [], [], 0.2)
        if not ready:
            continue
        try:
            piece = os.read(fd, 65536)
        except OSError:
            break
        if not piece:
            break
        got += piece
    else:
        failures.append(" ".join(command))
        print(f"not ok {command}: hangs: {got!r}")
        os.kill(pid, signal.SIGKILL)
    os.close(fd)
    os.waitpid(pid, 0)
    return got


def run_pipe(command):
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=60, check=False)
    return done.stdout


def check(name, data, wanted=True):
    global checked
    checked += 1
    why = acts(data)
    if not why and wanted and not ESCAPE.search(data):
        why = f"the text did not come through: {data!r:.600}"
    if why:
        failures.append(name)
        print(f"not ok {name}: {why}")


def chosen(name):
    return not ONLY or any(word in name for word in ONLY)


def through(name, arguments, exact_in_pipe):
    for form in ("text", "json", "csv"):
        command = [RDMASH, "-X", "--color=always"]
        if form == "json":
            command.append("--json")
        if form == "csv":
            command += ["-c", "set format csv"]
        check(f"{name}, {form} on a terminal", run_pty(command + arguments),
              name not in HEX and not (form == "json" and name in HEX_JSON))
    if not exact_in_pipe:
        check(f"{name}, into a pipe", run_pipe([RDMASH, "-X"] + arguments), name not in HEX)


def doors():
    with open("hostile.txt", "wb") as f:
        f.write(HOSTILE)
    os.symlink("/dev/stdout", "out.link")
    os.symlink("/dev/stderr", "err.link")
    for name, door in DOORS.items():
        if not chosen(name):
            continue
        options, script = door if isinstance(door, tuple) else (None, door)
        with open("door.rdma", "wb") as f:
            f.write((PRELUDE + script + "\n").encode("utf-8", "surrogateescape"))
        through(name, ([options] if options else []) + ["-f", "door.rdma"],
                name in ("echo", "puts") or "a link to a stream" in name)
    for name, arguments in LAUNCHERS.items():
        if chosen(name):
            through(name, arguments, False)


def files():
    for name, (path, script) in FILES.items():
        if not chosen(name):
            continue
        with open("door.rdma", "w", encoding="utf-8") as f:
            f.write(PRELUDE + script + "\n")
        said = run_pipe([RDMASH, "-X", "-f", "door.rdma"])
        if not os.path.exists(path):
            failures.append(name)
            print(f"not ok {name}: not written: {said!r}")
            continue
        with open(path, "rb") as f:
            check(f"{name}: the file", f.read(), wanted=name == "report")


def prompt():
    """Names of files in what Tab lists, an error and a notice above the prompt."""
    if not chosen("prompt"):
        return
    os.mkdir("names")
    for name in (b"a\x1bc\x07", "b\u202ec".encode(), b"d\xc2\x9bm"):
        with open(b"names/" + name, "wb"):
            pass
    got = run_pty([RDMASH, "-X"], [
        (b"> ", b"text load names/\t"),
        (b"\\u202e", b"\x15text load names/a\t\r"),
        (b"names/a\\x1bc\\x07 ", b"error \"\\x1b\\]0;owned\\x07\"\r"),
        (b"0;owned\\x07\r\n", b"quit\r")])
    global checked
    checked += 1
    for bad in (b"\x1b]0;owned", b"\x1bc", "\u202e".encode(), b"\xc2\x9bm"):
        if bad in got:
            failures.append("prompt")
            print(f"not ok prompt: {bad!r} in {got!r}")
    if b"No such file" in got:
        failures.append("prompt")
        print(f"not ok prompt: the file that Tab named is not found: {got!r}")
    for want in (b"a\\x1bc\\x07", b"b\\u202ec", b"d\\u009bm"):
        if want not in got:
            failures.append("prompt")
            print(f"not ok prompt: no {want!r} in {got!r}")


def exact():
    """A user's own data into a pipe: byte by byte."""
    if not chosen("exact"):
        return
    global checked
    checked += 1
    with open("door.rdma", "w", encoding="utf-8") as f:
        f.write(PRELUDE + "echo -nonewline $hostile\n")
    got = run_pipe([RDMASH, "-q", "-X", "-f", "door.rdma"])
    if got != HOSTILE:
        failures.append("exact")
        print(f"not ok exact: {got!r}\n    {HOSTILE!r}")


def main():
    os.environ.setdefault("TERM", "xterm")
    os.environ["RDMASH_HISTORY"] = ""
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        doors()
        files()
        prompt()
        exact()
        os.chdir("/")
    print(f"{checked} checks, {len(failures)} failed")
    sys.exit(1 if failures else 0)


main()
