#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""attacks.py RDMASH SECONDS [KIND ...]: what a script, a packet, another process of the user and a
client may try, for so many seconds each. Each kind prints how often it tried, and fails if it got
what it must not get. To be run by 'on.sh uroce' as a user of its own namespace."""
import ctypes
import glob
import os
import pty
import random
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
import zlib

RDMASH = os.path.abspath(sys.argv[1])
UROCE = os.path.join(os.path.dirname(RDMASH), "bin", "uroce")
SECONDS = float(sys.argv[2])
ONLY = sys.argv[3:]
SEED = int(os.environ.get("RDMASH_SEED", "1"))
LIBC = ctypes.CDLL(None, use_errno=True)
failures = []


def fail(kind, why):
    failures.append(kind)
    print(f"not ok {kind}: {why}", flush=True)


def rounds(seconds=None):
    """Numbers from 0, until the time is over."""
    end = time.monotonic() + (SECONDS if seconds is None else seconds)
    n = 0
    while time.monotonic() < end:
        yield n
        n += 1


def start(*scripts, **more):
    arguments = [word for text in scripts for word in ("-c", text)]
    return subprocess.Popen([RDMASH, "-q", "-X", *arguments], stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more)


def ended_badly(process):
    """The signal that ended it, or the report of a sanitizer; None: neither."""
    out, err = process.communicate(timeout=60)
    if process.returncode < 0 and -process.returncode not in (signal.SIGKILL,):
        return signal.Signals(-process.returncode).name
    for text in (out or b"", err or b""):
        if b"Sanitizer" in text or b"runtime error" in text:
            return text[-2000:].decode(errors="replace")
    return None


def end_process(kind, process):
    """Ends it by SIGTERM; that it does not end so, or not well, is a failure of that kind of attack."""
    process.terminate()
    try:
        why = ended_badly(process)
    except subprocess.TimeoutExpired:
        process.kill()
        why = "SIGTERM does not end it"
    if why:
        fail(kind, why)


PAIR = ("reg 4096 -name window; listen {port} -share window -accept; connect 127.0.0.1 {port}; "
        "reg 4096 -name buf")
WORK = "while 1 {post write buf -len 64; poll -within 5s}"


def works(kind, port):
    """Two ends in a new process still reach each other."""
    again = start(PAIR.format(port=port), "post write buf -len 64",
                  "expect status SUCCESS {poll -within 60s}")
    try:
        out, err = again.communicate(timeout=60)
    except subprocess.TimeoutExpired:
        again.kill()
        fail(kind, "a new session hangs afterwards")
        return
    if again.returncode:
        fail(kind, f"a new session fails afterwards: {out + err!r:.600}")


def exchange(a, b):
    """Both names change their places, in one step: renameat2(2) with RENAME_EXCHANGE."""
    if LIBC.renameat2(-100, a.encode(), -100, b.encode(), 2):
        raise OSError(ctypes.get_errno(), "renameat2")


def links():
    """A directory of a script becomes a link to another one while the script writes below it."""
    with tempfile.TemporaryDirectory() as at:
        os.makedirs(f"{at}/in/sub")
        os.makedirs(f"{at}/out")
        with open(f"{at}/in/s.rdma", "w", encoding="utf-8") as f:
            f.write("while 1 {catch {text save sub/f x -force}; catch {text load sub/secret} got\n"
                    "if {[string match *hush* $got]} {text save got $got; break}; incr n; "
                    "if {$n % 100 == 0} {sleep 0}}\n")
        with open(f"{at}/out/secret", "w", encoding="utf-8") as f:
            f.write("hush")
        os.symlink(f"{at}/out", f"{at}/in/link")
        script = subprocess.Popen([RDMASH, "-q", "-X", "-f", f"{at}/in/s.rdma"],
                                  stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        n = 0
        for n in rounds():
            exchange(f"{at}/in/sub", f"{at}/in/link")
        alive = script.poll() is None
        script.kill()
        script.wait()
        if os.listdir(f"{at}/out") != ["secret"] or os.path.exists(f"{at}/in/got"):
            fail("links", f"outside: {os.listdir(f'{at}/out')}, {os.listdir(f'{at}/in')}")
        if not alive:
            fail("links", f"the script has ended: {script.returncode}")
        return n


SOME = (0, 1, 2, 3, 4, 8, 12, 15, 16, 28, 64, 256, 1024, 1025, 4096)  # bytes


def forged(data):
    """An IPv4 packet from 127.0.0.1 to the device there, with the ICRC that it takes."""
    ip = struct.pack("!BBHHHBBHII", 0x45, 0, 32 + len(data), 0, 0x4000, 64, 17, 0, 0x7f000001, 0x7f000001)
    udp = struct.pack("!HHH", 0xc000, 4791, 12 + len(data))
    masked = b"\xff" * 8 + ip[:1] + b"\xff" + ip[2:8] + b"\xff" + ip[9:10] + b"\xff\xff" + ip[12:]
    masked += udp + b"\xff\xff" + data[:4] + b"\xff" + data[5:]
    return ip + udp + b"\0\0" + data + struct.pack("<I", zlib.crc32(masked))


def forged_mad(n):
    """UD SEND to QP 1, Q_Key of the GSI, a MAD of class 7."""
    head = struct.pack("!BBBBHHQHHI", 1, 7, 2, 3, 0, 0, random.getrandbits(64), random.randrange(0x10, 0x1b), 0, 0)
    body = random.choice((random.randbytes(232), struct.pack("!II", *random.choices(range(70), k=2)) + bytes(224)))
    return struct.pack("!BBHIIII", 0x64, 0x40, 0xffff, 1, n & 0xffffff, 0x80010000, 1) + head + body


def forged_data(qpns):
    """Any opcode, right or not, to a QP that is there."""
    psn = random.choice((random.getrandbits(24), random.randrange(64), 0x800000, 0xffffff))
    return struct.pack("!BBHII", random.getrandbits(8), random.getrandbits(8) & 0xf0, random.choice((0xffff, 0xffff, 1)),
                       random.choice(qpns), random.getrandbits(1) << 31 | psn) + random.randbytes(random.choice(SOME))


def packets():
    """Packets to the device: random bytes, random fields of messages of the connection manager, and
    any opcode to QPs that are there, with the ICRC that it takes."""
    pair = start(PAIR.format(port=7471), "echo ready [get qp0 qpn] [get qp1 qpn]",
                 "while 1 {catch {post write buf -len 64}; catch {poll -within 1ms}; sleep 20ms}")
    qpns = [int(word) for word in pair.stdout.readline().split()[1:]]
    to = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    raw = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW)
    n = 0
    for n in rounds():
        try:
            if n % 3:
                raw.sendto(forged(forged_data(qpns) if n % 3 == 1 else forged_mad(n)), ("127.0.0.1", 0))
            else:
                to.sendto(random.randbytes(random.randrange(0, 400)), ("127.0.0.1", 4791))
        except OSError:
            pass
        if n % 500 == 0:
            time.sleep(0.01)
    if pair.poll() is not None:
        fail("packets", "the session has ended")
    status = subprocess.run([UROCE, "status"], capture_output=True, text=True, check=False).stdout
    taken = [int(before) for before, word in zip(status.split(), status.split()[1:]) if word == "received"]
    if not taken or taken[0] < n / 10:
        fail("packets", f"hardly any of {n} has passed the check of its ICRC: {status:.400}")
    pair.terminate()
    why = ended_badly(pair)
    if why:
        fail("packets", why)
    works("packets", 7472)
    return n


def shared_memory(pid):
    """(address, bytes) of the memory that the process shares with others, and may write."""
    with open(f"/proc/{pid}/maps", encoding="utf-8") as f:
        for line in f:
            where, rights = line.split()[:2]
            begin, end = (int(word, 16) for word in where.split("-"))
            if rights == "rw-s":
                yield begin, end - begin


def rings():
    """Another process of the same user scribbles on the rings that two sessions share."""
    written = sessions = 0
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        server = start("reg 4096 -name window; listen 7471 -share window -accept",
                       "echo ready; sleep 60s")
        server.stdout.readline()
        client = start("connect 127.0.0.1 7471; reg 4096 -name buf; echo ready", WORK)
        client.stdout.readline()
        sessions += 1
        end_of_wait = time.monotonic() + 20
        while not list(shared_memory(client.pid)) and time.monotonic() < end_of_wait:
            time.sleep(0.01)
        memory = [(open(f"/proc/{process.pid}/mem", "r+b", buffering=0), *piece)
                  for process in (server, client) for piece in shared_memory(process.pid)]
        for n in rounds(min(3.0, SECONDS)):
            for f, begin, length in memory:
                f.seek(begin + (random.randrange(length) & ~7))
                try:
                    f.write(random.choice((random.randbytes(8), bytes(8), b"\xff" * 8)))
                    written += 1
                except OSError:  # it is not mapped any more
                    pass
            if n % 100 == 0:
                time.sleep(0.001)
        for f, _, _ in memory:
            f.close()
        for process in (client, server):
            end_process("rings", process)
    if not written:
        fail("rings", "no memory is shared")
    works("rings", 7472)
    return f"{written} words in {sessions} pairs of sessions"


def kills():
    """32 sessions that talk to each other are stopped, continued and killed at random."""
    killed = stopped = 0
    running = {}
    for _ in rounds():
        while len(running) < 32:
            port = random.randrange(20000, 60000)
            process = subprocess.Popen(
                [RDMASH, "-q", "-X", "-c", PAIR.format(port=port), "-c", WORK],
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            running[process.pid] = process
        pid = random.choice(list(running))
        if running[pid].poll() is not None:
            if running[pid].returncode in (-signal.SIGSEGV, -signal.SIGABRT, -signal.SIGBUS):
                fail("kills", f"one ended with {running[pid].returncode}")
            del running[pid]
            continue
        if random.random() < 0.5:
            os.kill(pid, signal.SIGSTOP)
            stopped += 1
            time.sleep(random.random() * 0.02)
            os.kill(pid, signal.SIGCONT)
        else:
            os.kill(pid, signal.SIGKILL)
            running.pop(pid).wait()
            killed += 1
        time.sleep(0.005)
    for process in running.values():
        process.kill()
        process.wait()
    left = subprocess.run([UROCE, "status"], capture_output=True, text=True, check=False).stdout
    if not left.startswith("no process"):
        fail("kills", f"they have places in the group still: {left[:400]}")
    works("kills", 7473)
    return f"{killed} killed, {stopped} stopped"


def silent():
    """Clients that connect to every kind of listener, say nothing or half of something, and stay."""
    server = start("set a [dict get [tcp listen 0 -address 127.0.0.1] port]",
                   "qp create; set b [dict get [oob listen 0 -address 127.0.0.1 -background] port]",
                   "proc hello {} {return hi}; rpc serve hello {} {return hi}",
                   "set c [dict get [rpc listen 0] port]; echo $a $b $c",
                   "on timer 100 {incr ::ticks}; sleep 3600s")
    ports = [int(word) for word in server.stdout.readline().split()]
    held = []
    n = 0
    for n in rounds():
        s = socket.socket()
        s.settimeout(0.05)
        try:
            s.connect(("127.0.0.1", random.choice(ports)))
            s.send(random.randbytes(random.randrange(0, 6)))
        except OSError:
            pass
        held.append(s)
        if len(held) > 200:
            held.pop(random.randrange(len(held))).close()
        time.sleep(0.001)
    if server.poll() is not None:
        fail("silent", f"the server has ended: {server.communicate()[1]!r:.400}")
    end_process("silent", server)
    return n


def hangup():
    """The terminal goes away, whatever the session does."""
    lines = [b"", b"sleep 60s\r", b"while 1 {}\r", b"reg 4096; listen 7471; accept\r", b"help\r",
             b"peer b; @b sleep 60s\r", b"post wr", b"proc x {} {\r", b"wire on\r", b"\x12abc"]
    n = 0
    for n in rounds():
        pid, fd = pty.fork()
        if pid == 0:
            signal.signal(signal.SIGHUP, signal.SIG_DFL)  # nohup's stays ignored, as it should
            os.execv(RDMASH, [RDMASH, "-X"])
        got = b""
        while b"> " not in got:
            got += os.read(fd, 4096)
        line = random.choice(lines)
        os.write(fd, line)
        time.sleep(random.random() * 0.3)
        os.close(fd)
        end = time.monotonic() + 15
        while os.waitpid(pid, os.WNOHANG)[0] == 0:
            if time.monotonic() > end:
                fail("hangup", f"after {line} it still runs 15 s after its terminal has gone")
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)
                break
            time.sleep(0.01)
    return n


CONNECTS = ("while 1 {catch {connect 127.0.0.1 7471 -name c -within 2ms}; "
            "catch {destroy c -cascade}}")
EVENTS = "while 1 {fault port down; fault port up; sleep 0}"


def events_told(what, told):
    """How many events of that kind are in the file of what a process has told, and in how many bytes."""
    told.seek(0)
    text = told.read()
    if len(text) > 20000 * (SECONDS + 2):
        fail("floods", f"{what}: {len(text)} bytes are told: {text[-300:]!r}")
    events = text.count(b"*") + sum(int(line.split()[2]) for line in text.splitlines() if b" more, which" in line)
    if not events:
        fail("floods", f"no event {what} is told: {text[-300:]!r}")
    return f"{events} events {what} in {len(text)} bytes"


def floods():
    """Other processes connect in a loop, and a script makes events of its own in one: what is told of
    them is some lines and a number, memory stays as it is, and signals are heard."""
    with tempfile.TemporaryFile() as asked, tempfile.TemporaryFile() as made:
        victims = [subprocess.Popen([RDMASH, "-X", "-c", "listen 7471 -name door", "-c", "echo ready",
                                     "-c", "sleep 3600s"], stdin=subprocess.DEVNULL,
                                    stdout=subprocess.PIPE, stderr=asked)]
        said = [victims[0].stdout.readline() for _ in range(2)]
        if said[1] != b"ready\n":
            fail("floods", f"it does not listen: {said}")
        victims.append(subprocess.Popen([RDMASH, "-X", "-c", EVENTS], stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, stderr=made))
        clients = [start(CONNECTS) for _ in range(2)]
        time.sleep(SECONDS)
        for victim in victims:
            if victim.poll() is not None:
                fail("floods", f"it has ended by itself: {victim.returncode}")
                continue
            with open(f"/proc/{victim.pid}/statm", encoding="utf-8") as f:
                pages = int(f.read().split()[1])
            if pages * 4096 > 200 << 20:
                fail("floods", f"{pages} pages of memory")
        for process in victims + clients:
            end_process("floods", process)
        results = [events_told(*told) for told in (("of connections", asked), ("of its own", made))]
    works("floods", 7472)
    return "; ".join(results)


KINDS = (links, packets, rings, kills, silent, floods, hangup)


def main():
    random.seed(SEED)
    os.environ.setdefault("TERM", "xterm")
    os.environ["RDMASH_HISTORY"] = ""
    print(f"seed {SEED}", flush=True)
    for kind in KINDS:
        if not ONLY or kind.__name__ in ONLY:
            print(f"{kind.__name__}: {kind()}", flush=True)
    sys.exit(1 if failures else 0)


main()
