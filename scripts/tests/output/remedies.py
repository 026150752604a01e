#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""remedies.py RDMASH [WORD]: what the program says to do next is done, and helps.

Each call of fail_next() in the source has a case here that provokes its error and does what the
row "next" says; those without are named below, with why. To be run by 'on.sh uroce'."""
import contextlib
import os
import re
import socket
import subprocess
import sys
import tempfile

RDMASH = os.path.abspath(sys.argv[1])
WORD = sys.argv[2] if len(sys.argv) > 2 else ""
SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..")

WINDOW = "reg 4096 -name window -access local-write,remote-write,remote-read\n"
PAIR = WINDOW + "listen 7471 -address 10.0.0.1 -accept\nconnect 10.0.0.1 7471 -name out\n" \
    "reg 4096 -name buf\n"
CM = "cm create -name a; cm resolve-addr a 10.0.0.1 7471; cm resolve-route a\n"
RPC = "rpc serve add {a b} {expr {$a + $b}}\nset port [dict get [rpc listen 0] port]\n" \
    "rpc connect 127.0.0.1 $port\n"

# Ways to use the text of the row:
DO = "eval [string map $map $next]"  # it is a command, with $map for what stands for something
HELP = "eval $next"                  # it tells more, or lists what there is
PROSE = ""                           # it is no command: the case has what it means

# name: (before, what fails, how the row is taken, afterwards[, where: see run()])
# "again": what has failed works now; "other": another error is all that is left
CASES = {
    "no such option": ("", "reg 64 -nonsense", HELP, ""),
    "expect without a script": ("set x 1", "expect status", PROSE,
                                "expect status SUCCESS {dict create status SUCCESS}"),
    "unknown command": ("", "nonsense", HELP, ""),
    "a rule of check that is none": ("", "check on -rules nonsense", HELP, ""),
    "an assignment": ("", "x = 5", DO, "expect -value 5 {set x}"),
    "after": ("", "after 10 {echo late}", "eval [lindex [split $next {;}] 0]", ""),
    "vwait": ("set done 1", "vwait done", DO, ""),
    "half a command": ("", "rendezvous", HELP, ""),
    "no lesson": ("", "answer 2", PROSE, "lesson"),
    "a line that a lesson does not need": (
        "proc write_lesson {last} {text save my.rdma \"title Mine\\ntry {Do it.} {\\n\\tpd\\n$last} "
        "{\\[has pd0\\]}\\n\" -force}\nwrite_lesson \\tcq\\n",
        "lesson play my.rdma", PROSE, "destroy -all; write_lesson {}; lesson play my.rdma"),
    "help finds nothing": ("", "help xyzzy", HELP, ""),
    "a file outside": ("", "text save ../outside x", PROSE, ""),
    "binary text": (WINDOW + "mem save window bin", "text load bin",
                    "eval [string map {MR window} $next]", ""),
    "nothing is recorded": ("", "record off", "eval [string map {FILE done.rdma} $next]", "again"),
    "a file that is there": ("text save there x", "text save there y", PROSE,
                             "text save there y -force"),
    "no object": ("listen 7471 -accept", "post send",
                  "eval [string map [list HOST [dict get [device] address] PORT 7471] "
                  "[lindex [split $next {;}] 0]]", "other"),
    "a name that is taken": ("reg 64 -name m", "reg 64 -name m", DO, "again"),
    "a process that is not on uroce0": ("", "show -process [pid]", PROSE,
                                        "reg 64; show -process [pid]"),
    "an object that a process has not": ("reg 64", "show mr7 -process [pid]", HELP, ""),
    "an object with users": ("reg 64 -name m", "destroy [get m pd]", DO, ""),
    "call: an id with a QP": (
        "set a [dict get [device] address]\n"
        "call -name there rdma_getaddrinfo $a 7471 {ai_port_space TCP ai_qp_type RC}\n"
        "call -name end rdma_create_ep there NULL {qp_type RC cap {max_send_wr 1 max_recv_wr 1 "
        "max_send_sge 1 max_recv_sge 1}}", "call rdma_destroy_id end", DO, "again"),
    "timeline off": ("timeline off", "timeline", DO, "reg 64; timeline"),
    "report off": ("timeline off", "report r.html", DO, "reg 64; report r.html"),
    "a port of view that is taken": ("tcp listen 0 -name d", "view -port [get d port]", PROSE, "view"),
    "no explanation": ("", "explain xyzzy", PROSE, "explain errno"),
    "nothing to explain": ("", "explain", PROSE, "explain RETRY_EXC_ERR"),
    "a timer without a pause": ("", "on timer 0 {}", PROSE, "on timer 0 {} -once"),
    "a second handler": ("tcp listen 0 -name d; on readable d {}", "on readable d {}", DO, "again"),
    "capture twice": ("capture start c.pcapng", "capture start d.pcapng", DO, "again"),
    "no capture": ("", "capture stop", "eval [string map {FILE.pcapng e.pcapng} $next]", "again"),
    "peer is unknown": ("", "@b expr 1", "eval [lindex [split $next :] 0]", "again"),
    "a completion with an error": (PAIR + "post write buf -remote 0 -rkey 1 -len 8", "poll -ok",
                                   HELP, ""),
    "nobody receives": (PAIR + "post send -text hi", "poll -within 200", DO,
                        "poll -qp [get out qp] -ok -within 60s"),
    "receives that nobody has polled": (
        PAIR + "set q [get out qp]; post recv window -qp qp1; post send -text hi; poll -qp $q -ok\n"
        "post send -text again", "poll -qp $q -within 200", DO,
        "poll -qp $q -ok -within 60s; expect -true {[regexp {not polled yet} $how]}"),
    "bench without receives": (PAIR, "bench send buf -repeat 10 -within 1s", DO, "again"),
    "no receive, and the QP is in ERR": (
        WINDOW + "listen 7471 -address 10.0.0.1 -accept -rnr-retry 1\nconnect 10.0.0.1 7471\n"
        "post send -text hi",
        # explain tells it, not the row next of the error
        "poll -ok -within 60s",
        "set cause [lindex [dict get [explain] causes] 0]\n"
        "set lines [lindex [split [dict get $cause next] (] 0]\n"
        "lassign [split $lines {;}] leave connect receive\n"
        "eval $leave; eval $connect\n"
        "set server [lindex [lsort -dictionary [dict keys [dict filter [show] key id*]]] end]\n"
        "eval [string map [list QP [get $server qp]] $receive]",
        "post send -text again; poll -ok -within 60s"),
    "nobody can receive": (PAIR + "destroy buf; destroy window; post send -text hi",
                           "poll -within 200", DO, "poll -qp [get out qp] -ok -within 60s"),
    "a text without quotes": ("reg 64 -name m", "mem put m 0 hello, memory", DO,
                              "expect -value {hello, memory} {mem get m 0 13}"),
    "post before connect": ("listen 7471 -address 10.0.0.1 -accept\n"
                            "connect 10.0.0.1 7471 -name out -prepare\nreg 64 -name buf",
                            "post send buf", DO, "again"),
    "post before accept": ("listen 7471 -address 10.0.0.1 -name door\n"
                           "connect 10.0.0.1 7471 -name out -prepare\n"
                           "cm connect out -nowait; cm event door -within 60s\n"
                           "set in [dict get [accept -prepare] id]; reg 64 -name buf "
                           "-pd [get [get $in qp] pd]",
                           "post send buf -qp [get $in qp]",
                           DO, "again"),
    "post in RESET": ("qp create -name q; reg 64 -name buf", "post send buf", DO, "other"),
    "post in INIT": ("qp create -name q; qp create -name r; reg 64 -name buf\n"
                     "modify-qp INIT q -fill; modify-qp INIT r -fill\n"
                     "set p [dict get [oob listen 0 -qp r -background] port]\n"
                     "oob connect 127.0.0.1 $p -qp q",
                     "post send buf -qp q", DO, "other"),
    "post in RTR": ("qp create -name q; qp create -name r; reg 64 -name buf\n"
                    "modify-qp INIT q -fill; modify-qp INIT r -fill\n"
                    "set p [dict get [oob listen 0 -qp r -background] port]\n"
                    "oob connect 127.0.0.1 $p -qp q; modify-qp RTR q -fill",
                    "post send buf -qp q", DO, "again"),
    "too much inline": (PAIR, "post send buf -len 4000 -inline", PROSE,
                        "post send buf -len 4000\n"
                        "catch {qp create -name big -pd [get buf pd] -inline 200}; "
                        "expect -true {[regexp {qp create -inline 4000} $next]}"),
    "receives of an SRQ": ("srq -name shared; qp create -name q -srq shared; reg 64 -name buf\n"
                           "modify-qp INIT q -fill", "post recv",
                           "eval [string map {... buf} $next]", ""),
    "a region of another PD": (PAIR + "pd -name other; reg 64 -name far -pd other",
                               "post send far", DO, "post send [lindex $next end]"),
    "UD without a peer": ("qp create -type UD -name q; modify-qp INIT q -fill\n"
                          "modify-qp RTR q; modify-qp RTS q -fill; reg 64 -name buf",
                          "post send buf", HELP, ""),
    "no region": (PAIR + "destroy buf; destroy window", "post send -len 8 -sge nosuch", DO, ""),
    "no channel": ("cq -name c", "arm c", PROSE,
                   "cq -name d -events; arm d"),
    "an unarmed CQ": ("cq -name c -events", "wait cq c -within 100", DO, "other"),
    "bench between PDs": (PAIR + "pd -name other; reg 64 -name far -pd other",
                          "bench write far -remote [get window addr] -rkey [get window rkey]",
                          DO, ""),
    "an AH without a GID": ("", "ah -dgid 10.0.0.2 -sgid-index 99", HELP, ""),
    "access of a region": ("", "reg 64 -access remote-write", DO, ""),
    "join without UDP": (CM, "cm join a 239.1.1.1", DO, ""),
    "cm accept without a QP": ("listen 7471 -address 10.0.0.1 -name door\n"
                               "connect 10.0.0.1 7471 -name out -prepare\n"
                               "cm connect out -nowait\n"
                               "set in [dict get [cm event door -within 60s] id]",
                               "cm accept $in", DO, "again"),
    "cm connect without a QP": ("listen 7471 -address 10.0.0.1 -accept\n" + CM, "cm connect a", DO,
                                "again"),
    "a QP twice": (CM + "qp create -id a", "qp create -id a", DO, "again"),
    "accept without a listener": ("", "accept -within 100", DO, "other"),
    "accept what accepts by itself": ("listen 7471 -address 10.0.0.1 -name door",
                                      "connect 10.0.0.1 7471 -within 1s", DO, ""),
    "a port that is taken": ("listen 7471 -address 10.0.0.1", "listen 7471 -address 10.0.0.1", DO,
                             "again"),
    "share without a region": ("", "listen 7471 -share nosuch", DO, ""),
    "which region": ("qp create -name q; modify-qp INIT q -fill; reg 64 -name w; reg 64 -name v",
                     "post recv -len 8", "eval [string map {... recv} $next]",
                     "expect -value {v w} {lsort [dict get $rows {there are}]}"),
    "nothing to change": ("qp create", "modify-qp", HELP, ""),
    "a QP for what it tells": ("qp create -name q; qp create -name r; modify-qp INIT q -fill",
                               "modify-qp RTR q -peer r -fill",
                               "eval \"modify-qp RTR q -fill $next\"", "get q state"),
    "QP info without a GID": ("qp create -name q", "qp-info q -gid-index 99", HELP, ""),
    "INIT without its attributes": ("qp create -name q", "modify-qp INIT q", DO, ""),
    "fill without a peer": ("qp create -name q; modify-qp INIT q -fill", "modify-qp RTR q -fill",
                            PROSE, "qp create -name r\n"
                            "set p [dict get [oob listen 0 -qp r -background] port]\n"
                            "eval [string map [list HOST 127.0.0.1 PORT $p] $next] -qp q\n"
                            "modify-qp RTR q -fill"),
    "fill with a peer of this session": (
        "qp create -name r; modify-qp INIT r -fill; qp create -name q; modify-qp INIT q -fill",
        "modify-qp RTR q -fill", DO, "expect -value RTR {get q state}"),
    "an atomic without a region": (
        PAIR, "post fetch-add -add 5 -remote [get buf addr] -rkey [get buf rkey]", DO, "poll -ok"),
    "modify a QP of the CM": (PAIR, "modify-qp INIT [get out qp] -fill", PROSE, ""),
    "rpc: too many in background": (RPC + "rpc serve slow {} {sleep 50}\n"
                                    "for {set i 0} {$i < 256} {incr i} "
                                    "{rpc call rpc0 add 1 2 -background}",
                                    "rpc call rpc0 add 1 2 -background", DO, "again"),
    "rpc: none in background": (RPC, "rpc result rpc0",
                                "eval [string map {METHOD {add 1 2}} $next]", "again"),
    "rpc: the server is gone": (RPC + "rpc close server0; sleep 200", "rpc call rpc0 add 1 2",
                                "set port [dict get [rpc listen 0] port]\n"
                                "eval [string map [list HOST 127.0.0.1 PORT $port] $next]",
                                "rpc call [lindex [rpc connect 127.0.0.1 $port] 1] add 1 2"),
    "peer: nothing in background": ("peer b", "@b -result",
                                    "eval [string map {COMMAND {expr 1}} $next]", "again"),
    "mw of type 1": ("mw -type 1 -name w; reg 64 -name m -access local-write,mw-bind\n"
                     "qp create -name q", "post bind-mw w m -qp q", PROSE, ""),
    "mw of type 2": ("mw -type 2 -name w; reg 64 -name m -access local-write,mw-bind\n"
                     "qp create -name q", "mw bind w m -qp q", "", ""),
    "mw without the right": ("mw -type 1 -name w; reg 64 -name m; qp create -name q",
                             "mw bind w m -qp q", DO, ""),
    "share without rights": ("reg 64 -name m -access local-write", "listen 7471 -share m", DO,
                             "listen 7471 -share mr0"),
    "a value that is too large": ("reg 80M -name m", "mem get m", DO, ""),
    "establish with a QP": (CM + "qp create -id a\nlisten 7471 -address 10.0.0.1 -accept\n"
                            "cm connect a -nowait", "cm establish a", DO, ""),
    "a full SRQ": ("srq -name s -max-wr 2; reg 64 -name m",
                   "while 1 {post recv m -srq s}", "", ""),
    "no event of a CQ": (PAIR + "cq -name c -events; arm c", "wait cq c -within 50", DO, ""),
    "peer: results that nobody takes": ("peer b\nfor {set i 0} {$i < 1000} {incr i} "
                                        "{if {[catch {@b -background expr 1}]} break}",
                                        "@b -background expr 1",
                                        "eval [lindex [split $next ,] 0]", "again"),
    "events that are kept back": ("cm create -hold -name a; cm resolve-addr a 10.0.0.1 7471",
                                  "destroy a", DO, "again"),
    "no such function": ("", "call nonsense", HELP, ""),
    "call without arguments": ("srq", "call ibv_query_srq", HELP, "call ibv_query_srq srq0"),
    "call: a plain CQ": ("cq -name c", "call ibv_start_poll c {}",
                         "set x [eval [string map [list DEVICE [dict get [device] name]] $next]]",
                         "catch {call ibv_start_poll $x {}} other; "
                         "expect -true {![string match {*not an extended CQ*} $other]}"),
    "no route": ("", "connect 192.0.2.1 7471", PROSE,
                 "expect -value {!ip route get 192.0.2.1} {set next}"),
    "nobody there": ("", "connect 10.0.0.77 7471", PROSE,
                     "expect -value {!ping -c 1 10.0.0.77} {set next}"),
    "nobody answers": ("", "connect 10.0.0.78 7471 -within 300ms", PROSE,
                       "expect -value {!ping -c 1 10.0.0.78} {set next}\n"
                       "expect -value {*300 ms: 10.0.0.78:7471 does not answer} {set why}\n"
                       "expect -value {*rdma_connect(3)*} {explain}"),
    "a full send queue": (
        PAIR + "fault wire -drop 100%\n"
        "set at [list -remote [get window addr] -rkey [get window rkey]]\n"
        "proc fill {} {while 1 {post write buf -len 8 {*}$::at}}",
        "fill", "fault wire off",
        "while {[catch {post write buf -len 8 {*}$at}]} {eval $next; sleep 50}"),
    "puts to a channel": ("", "puts a b c d", PROSE, "tcl_puts stdout x",
                          {"args": ["--unsafe"]}),
    "a device that does not come up": ("", "reg 64", HELP, "", {"taken": 4791}),
    "a rank without a size": ("", "rendezvous clear", PROSE, "", {"env": {"RDMASH_RANK": "0"}}),
    "a link": ("", "text save link x", PROSE,
               "text save real x -force"),
}

# Not provoked here, and why.
NOT_HERE = {
    "mpirun -n 2 rdmash -f SCRIPT, or srun, or set RDMASH_RANK, RDMASH_SIZE and ": "a launcher",
    "set  to a directory that all hosts share; mpirun passes it on with -x ": "several hosts",
    "set  to a directory of your own": "another user, who has taken the names",
    "remove it, or set  to another directory": "another directory, renamed to the name of the job's",
    "expect status %s {%s}: this is a result, not an error":
        "an expectation, whose failure ends the script: cmd_test has it",
    "put a list or dict under one key, or rdmash --unsafe": "a launcher",
    "nsenter -n -t %d rdmash, in a terminal": "another network",
    "!kill -CONT %d": "a process that is stopped: show_process.sh has it",
    "devices": "no device: on.sh has one",
    "doctor": "a device of the kernel that this user may not open: explain/system has it",
    "!ip link set lo up": "a loopback that is down",
    "!rdma link add rxe0 type rxe netdev eth0": "no device",
    "!rdma link add rxe_%s type rxe netdev %s": "an interface without a device",
    "show    (those of this session), or rdmash --device uroce0": "a device of the kernel",
    "connect HOST PORT": "iWARP",
    "pd -device %s": "two devices",
    "wire read %s": "a full disk: full-disk.sh has it",
    "RDMASH_LESSONS names their folder (scripts/lessons of the source)": "a broken installation",
    "rdmash -c 'peer %s -%s ...' -f FILE: you choose what is started; or rdmash --unsafe":
        "it is for the command line: peer.sh has it",
    "barrier %s": "64 MiB of commands on the way, which takes half a minute",
    "@%s -result: waits again; Ctrl-C stops the command": "a peer that hangs: peer.sh has it",
}


def formats():
    """fail_next(S, "FORMAT" ...) in the source: where, and the format as a regular expression."""
    found = {}
    for folder in ("shell", "cmds"):
        for root, dirs, names in os.walk(os.path.join(SOURCE, folder)):
            dirs[:] = [d for d in dirs if d != "tests"]
            for name in names:
                if name.endswith(".c") and name != "fail.c":
                    with open(os.path.join(root, name), encoding="utf-8") as f:
                        scan(name, f.read(), found)
    return found


def scan(name, text, found):
    for m in re.finditer(r'\bfail_next\(\s*[^,]+,\s*((?:"(?:[^"\\]|\\.)*"|\s|[A-Z_]+)+)', text):
        line = text.count("\n", 0, m.start()) + 1
        fmt = "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', m.group(1)))
        parts = re.split(r"%[-.0-9*]*(?:ll|z)?[sudx]", fmt)
        found[f"{name}:{line}"] = (fmt, re.compile(".*".join(map(re.escape, parts)) + "$", re.S))


def options():
    """The options of each command, by its name."""
    told = subprocess.run(
        [RDMASH, "-q", "-X", "-c", "foreach c [help] { set a [dict get [lindex [help $c] 0] args]\n"
         "puts $c:[join [lmap a $a {dict get $a name}]] }"], stdout=subprocess.PIPE, check=True)
    return {c: names.split() for c, names in
            (line.split(":") for line in told.stdout.decode().splitlines())}


def explanations():
    """(file, text) of each string of explain and of the rules, and of each line of the facts."""
    folders = [os.path.join(SOURCE, *f) for f in (("cmds", "explain"), ("model", "why"))]
    for root, _, names in (w for folder in folders for w in os.walk(folder)):
        for name in sorted(names):
            with open(os.path.join(root, name), encoding="utf-8") as f:
                text = f.read()
            if name.endswith(".c"):
                for string in re.findall(r'"((?:[^"\\\n]|\\.|"\s+")*)"', text):
                    yield name, re.sub(r'"\s+"', "", string)
            elif name.endswith(".txt"):
                for line in text.replace("\n\t\t", " ").splitlines():
                    yield name, line


def wrong_options():
    """Lines that explain tells to type, with an option that their command does not have."""
    known, seen = options(), 0
    for name, text in explanations():
        for part in re.split(r"[;,:(\[]|\\n|\b(?:of|or|and)\b", text):
            words = re.findall(r"\S+", part)
            at = next((i for i, w in enumerate(words) if w in known), len(words))
            for word in words[at + 1:]:
                if re.fullmatch("-[a-z][a-z-]+", word):
                    seen += 1
                    if word[1:] not in known[words[at]]:
                        yield f"not ok {name}: '{part.strip()}': no option {word}"
    if seen < 20:
        yield f"not ok: {seen} options found in cmds/explain and model/why"


def run(name, before, fails, how, after, where=None):
    """where: more "args" and "env" of rdmash, and a UDP port that is "taken" by another."""
    where = where or {}
    script = f"""
{before}
if {{![catch {{{fails}}} why how]}} {{ error "it does not fail" }}
set rows [expr {{[dict exists $how -rows] ? [dict get $how -rows] : ""}}]
if {{![dict exists $rows next]}} {{ error "no remedy: $why" }}
set next [dict get $rows next]
puts "NEXT $next"
set map {{HOST 10.0.0.1 PORT 7471 FILE file GROUP 239.1.1.1}}
{how}
"""
    if after == "again":
        script += fails + "\n"
    elif after == "other":
        script += f"if {{[catch {{{fails}}} other] && $other eq $why}} {{ error \"no help: $other\" }}\n"
    else:
        script += after + "\n"
    with open("case.rdma", "w", encoding="utf-8") as f:
        f.write(script)
    with contextlib.ExitStack() as stack:
        if "taken" in where:
            other = stack.enter_context(socket.socket(socket.AF_INET6, socket.SOCK_DGRAM))
            other.bind(("::", where["taken"]))
        done = subprocess.run(["timeout", "40", RDMASH, "-q", "-X", *where.get("args", []),
                               "-f", "case.rdma"], env={**os.environ, **where.get("env", {})},
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, check=False)
    out = done.stdout.decode(errors="replace")
    said = re.search(r"^NEXT (.*?)$", out, re.M)
    if done.returncode != 0:
        print(f"not ok {name}: {done.stderr.decode(errors='replace').strip()[-400:]}\n    {said and said[0]}")
    return said and said[1], done.returncode == 0


def main():
    bad = 0
    seen = []
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        os.symlink("real", "link")
        for name, case in CASES.items():
            if WORD not in name:
                continue
            said, good = run(name, *case)
            bad += not good
            if said:
                seen.append(said)
        os.chdir("/")
    if not WORD:
        for line in wrong_options():
            bad += 1
            print(line)
        for fmt in set(NOT_HERE) - {f for f, _ in formats().values()}:
            bad += 1
            print(f"not ok: '{fmt}' is not in the source any more")
        for where, (fmt, pattern) in sorted(formats().items()):
            if fmt == "%s" or any(pattern.match(s) for s in seen):
                continue
            if fmt not in NOT_HERE:
                bad += 1
                print(f"not ok {where}: nothing provokes '{fmt}'")
    print(f"{len(CASES)} remedies, {bad} failed")
    sys.exit(bad > 0)


main()
