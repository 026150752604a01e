#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""view.py RDMASH: what view answers to whom, and that nobody can hold up the session. On uroce."""
import json
import os
import re
import select
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from page import check, check_ends, check_rows, drawing  # noqa: E402

HOSTILE = "<script>alert(1)</script>&\"'\x1b]0;x\x07\u202e"


class Session:
    """An rdmash whose commands are written here; its lines come back. view is on."""

    def __init__(self, rdmash, *view):
        self.process = subprocess.Popen([rdmash, "-X"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT, text=True)
        self.pid, self.asked = self.process.pid, 0
        self.begin(*view)

    def begin(self, *view):
        said = self.run(" ".join(["view", *view]))
        self.url = re.search(r"http://127\.0\.0\.1:\d+/[0-9a-f]{32}/", said).group()
        self.port = int(self.url.split(":")[2].split("/")[0])
        self.path = self.url[self.url.index("/", 8):]

    def run(self, command):
        """The output of the command."""
        self.asked += 1
        end = f"done-{self.asked}"
        self.process.stdin.write(f"{command}\necho {end}\n")
        self.process.stdin.flush()
        said = []
        for line in self.process.stdout:
            if line.strip() == end:
                return "".join(said)
            said.append(line)
        sys.exit(f"rdmash has ended: {''.join(said)}")

    def state(self, **params):
        query = "&".join(f"{key}={value}" for key, value in params.items())
        with urllib.request.urlopen(f"{self.url}state?{query}", timeout=20) as answer:
            return json.load(answer)

    def await_state(self, wanted, what):
        """The first state for which wanted() holds. The session serves while it waits for input."""
        seen = 0
        end = time.monotonic() + 20
        while time.monotonic() < end:
            state = self.state(seen=seen)
            if "rows" in state and wanted(state):
                return state
            seen = state["version"]
        sys.exit(f"not ok: {what}: {json.dumps(self.state())[:3000]}")

    def raw(self, request):
        """The first line of the answer to these bytes, and all of it."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=20) as s:
            s.sendall(request.encode())
            answer = b""
            while b"\r\n\r\n" not in answer:
                more = s.recv(65536)
                if not more:
                    break
                answer += more
        return answer.decode(errors="replace").split("\r\n")[0], answer.decode(errors="replace")

    def ask(self, path, host=None, method="GET"):
        host = host or f"127.0.0.1:{self.port}"
        return self.raw(f"{method} {path} HTTP/1.1\r\nHost: {host}\r\nContent-Length: 0\r\n\r\n")[0]

    def end(self):
        self.process.stdin.close()
        self.process.wait(timeout=30)
        return self.process.returncode


def resident(pid):
    """Bytes of memory that the process has now."""
    with open(f"/proc/{pid}/statm", encoding="ascii") as f:
        return int(f.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def is_sanitized(pid):
    """Such a program keeps what it has freed."""
    with open(f"/proc/{pid}/maps", encoding="ascii", errors="replace") as f:
        return re.search(r"lib(asan|tsan|clang_rt)", f.read()) is not None


def ok(holds, what, more=""):
    if not holds:
        sys.exit(f"not ok: {what}: {more}")
    print(f"ok: {what}")


def qps(state, end=0):
    return {qp["name"]: qp for qp in state["ends"][end]["qps"]}


def who_is_answered(s):
    word = s.path.strip("/")
    ok("200" in s.ask(s.path), "who has the address")
    ok("200" in s.ask(s.path, f"localhost:{s.port}"), "by another name of this host")
    for host in ("evil.example", f"evil.example:{s.port}", "127.0.0.1", f"127.0.0.1:{s.port + 1}", "[::1]"):
        ok("421" in s.ask(s.path, host), f"not the host {host}", s.ask(s.path, host))
    ok(" 4" in s.raw(f"GET {s.path} HTTP/1.1\r\n\r\n")[0], "not without a host")
    other = ("0" if word[0] != "0" else "1") + word[1:]
    for path in ("/", "/state", f"/{word}", f"/{other}/", f"/{other}/state", f"/{word[:-1]}/", f"//{word}/"):
        ok("403" in s.ask(path), f"not the path {path}", s.ask(path))
    ok("404" in s.ask(s.path + "../etc/passwd"), "no file")
    for method in ("POST", "PUT", "HEAD", "DELETE", "OPTIONS"):
        ok("405" in s.ask(s.path, method=method), f"not by {method}")
    with open("/proc/net/tcp", encoding="ascii") as f:
        places = [line.split()[1] for line in f if line.split()[1].endswith(f":{s.port:04X}")]
    ok(set(places) == {f"0100007F:{s.port:04X}"}, "at 127.0.0.1 alone", places)


def what_the_document_is(s):
    documents = []
    for _ in range(2):
        with urllib.request.urlopen(s.url, timeout=20) as answer:
            documents.append(answer.read().decode())
            headers = answer.headers
    nonces = {re.search(r"script-src 'nonce-([0-9a-f]+)'", d).group(1) for d in documents}
    ok(len(nonces) == 2, "each document has a nonce of its own")
    wrong = check(documents[0])[1]
    ok(not wrong, "it runs its own script alone, and loads nothing", wrong)
    ok(headers["Cache-Control"] == "no-store" and headers["X-Frame-Options"] == "DENY", "its headers")


def what_is_shown(s):
    s.run("reg 4096 -name window; listen 7471 -address 10.0.0.1 -share window -accept; connect 10.0.0.1 7471")
    s.run('post write -text "hello"; poll')
    first = s.await_state(lambda st: any(r["kind"] == "completion" for r in st["rows"]), "a completion")
    ok({qp["state"] for qp in qps(first).values()} == {"RTS"}, "both QPs are in RTS")
    ok([cq["taken"][0]["status"] for cq in first["ends"][0]["cqs"] if cq["taken"]] == ["SUCCESS"], "the completion")
    window = next(mr for mr in first["ends"][0]["regions"] if mr["name"] == "window")
    ok((window["bytes"], window["shown"]) == ("68656c6c6f", 4096), "the bytes of a region", window)
    s.run("post recv window -len 16; post write -text far -at 4094")
    state = s.await_state(lambda st: any(q["recvs"]["requests"] for q in qps(st).values()), "a request")
    ok(sum(len(q["sends"]["requests"]) for q in qps(state).values()) == 1, "a send that is not polled")
    s.run("catch poll")
    state = s.await_state(lambda st: any("why" in r for r in st["rows"]), "why")
    row = next(r for r in state["rows"] if "why" in r)
    ok(row["kind"] == "completion" and "window + 4094" in row["why"], "the row that has failed says why", row)
    ok({qp["state"] for qp in qps(state).values()} == {"ERR"}, "both QPs are in ERR")
    return state


def what_was_then(s, state):
    rows = state["rows"]
    done = next(r for r in rows if r["kind"] == "completion" and not r["bad"])
    then = s.state(row=done["id"])
    ok({qp["state"] for qp in qps(then).values()} == {"RTS"}, "as it was after the first completion")
    post = next(r for r in rows if r["text"].startswith("ibv_post_send"))
    then = s.state(row=post["id"])
    ok([len(q["sends"]["requests"]) for q in qps(then).values() if q["sends"]["requests"]] == [1],
       "the request was in its queue after the post", then["ends"][0]["qps"])
    create = next(r for r in rows if "rdma_create_qp" in r["text"])
    then = s.state(row=create["id"])
    ok(len(qps(then)) == 1 and len(then["rows"]) == len(rows), "there was one QP after the first was made", qps(then))
    ok(s.state(seen=s.state()["version"]).keys() == {"version"}, "nothing new is said in a word")
    versions = {s.state()["version"] for _ in range(100)}
    ok(len(versions) == 1, "who only looks changes nothing, and leaves nothing in the record", versions)


def row_stays(s):
    """A row is the same one also when others have come, and older ones are gone."""
    s.run("repeat 260 {qp create -name row; destroy row}")
    row = s.state()["rows"][-1]
    s.run("repeat 20 {qp create -name row; destroy row}")
    then = s.state(row=row["id"])
    ok([r["text"] for r in then["rows"] if r["id"] == row["id"]] == [row["text"]], "a row keeps its id", row)
    ok(len({r["id"] for r in then["rows"]}) == len(then["rows"]), "and no other has it")


def flush_of_a_region(s):
    s.run("destroy -all; reg 4096 -name pm -access local-write,remote-write,flush-global; "
          "listen 7475 -address 10.0.0.1 -share pm -accept -flush; connect 10.0.0.1 7475 -flush; "
          "post flush -len 8; post flush")
    state = s.await_state(lambda st: any(q["sends"]["requests"] for q in qps(st).values()), "a FLUSH")
    sizes = [wr["size"] for q in qps(state).values() for wr in q["sends"]["requests"]]
    ok(sizes == ["8 B", "whole region"], "a FLUSH of a whole region says so", sizes)


def hostile_text(s):
    """Whatever comes from a peer, a name or a file is text in each drawing and each value."""
    s.run("destroy -all; set hostile {%s}" % HOSTILE.replace("\x1b", "\\x1b").replace("\x07", "\\x07"))
    s.run("set hostile [subst -nocommands -novariables $hostile]; catch {reg 64 -name $hostile}")
    s.run("listen 7472 -address 10.0.0.1; connect 10.0.0.1 7472 -name out -prepare")
    s.run("cm connect out -nowait -private-data $hostile; accept")
    state = s.await_state(lambda st: "alert(1)" in json.dumps(st), "the hostile text")
    wrong = [*drawing(state["ladder"]), *check_ends(state["ends"]), *check_rows(state["rows"])]
    ok(not wrong, "hostile text is text in the drawings", wrong)
    text = json.dumps(state, ensure_ascii=False)
    ok("\\u001b" not in text and "\u202e" not in text, "and has nothing invisible")


def nobody_holds_it_up(s):
    idle = socket.create_connection(("127.0.0.1", s.port))
    idle.sendall(b"GET ")
    deaf = socket.socket()
    deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    deaf.connect(("127.0.0.1", s.port))
    deaf.sendall(f"GET {s.path}state HTTP/1.1\r\nHost: 127.0.0.1:{s.port}\r\n\r\n".encode() * 20)
    ok("4" in s.run("echo [expr {2 + 2}]"), "a browser that does not read")
    failed = []

    def browse():
        try:
            for _ in range(20):
                s.state()
        except OSError as e:
            failed.append(e)

    browsers = [threading.Thread(target=browse) for _ in range(10)]
    for b in browsers:
        b.start()
    for i in range(50):
        s.run(f"set x {i}")
    for b in browsers:
        b.join()
    ok(not failed, "ten browsers, and a prompt", failed)
    idle.close()
    deaf.close()


def is_found_again(rdmash):
    """More clients than may be connected, who say nothing, and go. One that goes in the middle of a
    request is dropped after ten seconds only, so not many may wait for their turn."""
    s = Session(rdmash)
    silent = [socket.socket() for _ in range(400)]
    for c in silent:
        c.setblocking(False)
        c.connect_ex(("127.0.0.1", s.port))
    _, connected, _ = select.select([], silent, [], 0)
    ok(len(connected) < 100, "few clients wait for their turn", len(connected))
    s.run("echo full")
    for c in silent:
        c.close()
    end = time.monotonic() + 120
    answered = False
    while not answered and time.monotonic() < end:
        s.run("sleep 10ms")
        try:
            with socket.create_connection(("127.0.0.1", s.port), timeout=1) as c:
                c.sendall(f"GET {s.path}state HTTP/1.1\r\nHost: 127.0.0.1:{s.port}\r\n\r\n".encode())
                s.run("sleep 10ms")
                answered = c.recv(12) == b"HTTP/1.1 200"
        except OSError:
            pass
    ok(answered, "clients that said nothing have gone, and a browser is answered")
    ok(s.end() == 0, "the exit status")


def ticks(s, n):
    """So many lines with a post and a poll. Returns the seconds of processor time that they take, with what else the
    program does meanwhile."""
    def spent():
        with open(f"/proc/{s.pid}/stat", encoding="ascii") as f:
            return sum(int(field) for field in f.read().rsplit(")", 1)[1].split()[11:13]) / os.sysconf("SC_CLK_TCK")

    begin = spent()
    s.run("\n".join(["post write -text tick; poll"] * n))
    return spent() - begin


def memory_is_flat(s, seconds, measures):
    """200 changes a second, and a browser that asks as often as it can. measures: then the time that a page takes from a
    post and a poll."""
    s.run("destroy -all; reg 4096 -name window; listen 7473 -address 10.0.0.1 -share window -accept; connect 10.0.0.1 7473")
    s.run("for {set i 0} {$i < 12000} {incr i} {post write -text tick; poll}")  # the record is full
    sizes, versions, end, costs = [], set(), 0, ([], [])
    stop, looks, pause = threading.Event(), threading.Event(), [0]

    def browse():
        seen = 0
        while not stop.wait(pause[0]):
            if looks.is_set():
                seen = s.state(seen=seen)["version"]
                versions.add(seen)

    browser = threading.Thread(target=browse)
    looks.set()
    browser.start()
    begin = time.monotonic()
    while end < seconds or (len(versions) < 3 and end < 60):
        ticks(s, 20)
        sizes.append(resident(s.pid))
        time.sleep(max(0, 0.1 * len(sizes) - (time.monotonic() - begin)))
        end = time.monotonic() - begin
    pause[0] = 0.12  # as the page does
    for i in range(20 if measures else 0):
        (looks.set if i % 2 else looks.clear)()
        time.sleep(0.5)
        costs[i % 2].append(ticks(s, 200))
    stop.set()
    browser.join()
    half = sizes[len(sizes) // 3]
    print(f"# {20 * len(sizes) / end:.0f} changes a second for {end:.0f} s, {len(versions)} versions, {half >> 10} KB after a "
          f"third, {sizes[-1] >> 10} KB at the end")
    ok(len(versions) > 2, "the browser has seen changes", versions)
    ok(is_sanitized(s.pid) or sizes[-1] < half + (4 << 20), "memory is flat", [size >> 10 for size in sizes])
    if measures:
        alone, watched = (500 * sum(c) for c in costs)  # of 2000 ticks, in us
        print(f"# post and poll: {alone:.0f} us alone, {watched:.0f} us with a browser, {watched / alone:.2f} times")
        ok(watched < 1.2 * alone, "a post and a poll take no more than 1.2 times as long")


def both_ends(s):
    """Other processes: a peer that this session has started, one that is stopped, and one that ends."""
    s.run("destroy -all; peer b; @b {reg 64 -name there; listen 7474 -address 10.0.0.1 -share there -accept}")
    s.run("connect 10.0.0.1 7474")
    state = s.await_state(lambda st: len(st["ends"]) > 1 and st["ends"][1]["qps"], "the other process")
    ok(state["ends"][1]["name"] == "@b" and qps(state, 1)["qp0"]["state"] == "RTS", "a peer, by its name",
       state["ends"][1]["name"])
    s.await_state(lambda st: any(r["end"] == "@b" and "ESTABLISHED" in r["text"] for r in st["rows"]),
                  "the peer's rows, without a further command")
    pid = int(s.run("echo [@b pid]").split()[-1])
    os.kill(pid, signal.SIGSTOP)
    try:
        begin = time.monotonic()
        for i in range(20):
            s.run(f"set x {i}")
            s.state()
        ok(time.monotonic() - begin < 10, "a peer that is stopped holds up nobody for long")
    finally:
        os.kill(pid, signal.SIGCONT)
    s.run("post write -text over; poll")
    s.await_state(lambda st: [r for r in st["rows"] if r["text"].startswith("RC_ACK")][-1]["end"] == "@b",
                  "the answer comes from there")
    s.run("destroy -all")
    s.await_state(lambda st: len(st["ends"]) == 1 or not st["ends"][1]["qps"], "a process that has gone is shown no more")


def main():
    s = Session(sys.argv[1])
    who_is_answered(s)
    what_the_document_is(s)
    state = what_is_shown(s)
    what_was_then(s, state)
    flush_of_a_region(s)
    row_stays(s)
    hostile_text(s)
    nobody_holds_it_up(s)
    memory_is_flat(s, float(os.environ.get("VIEW_SECONDS", "3")), "VIEW_SECONDS" in os.environ)
    both_ends(s)
    s.run("view off")
    try:
        s.ask(s.path)
        ok(False, "view off ends it")
    except OSError:
        print("ok: view off ends it")
    ok(s.end() == 0, "the exit status")
    is_found_again(sys.argv[1])


if __name__ == "__main__":
    main()
