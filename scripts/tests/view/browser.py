#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""browser.py RDMASH CHROMIUM [DIR]: the page in a headless Chromium: it shows a session live, an earlier
row, a pane alone, the row that has failed; with hostile text; and says nothing on its console. In the drawings
that are files no text is cut off. Pictures go to DIR. On uroce."""
import base64
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from view import HOSTILE, Session, ok  # noqa: E402


class Browser:
    """Chromium, driven by its protocol over a pipe."""

    def __init__(self, chromium, width, height):
        self.profile = tempfile.mkdtemp()
        there, self.to = os.pipe()
        self.back, here = os.pipe()

        def pipes():
            first, second = os.dup(there), os.dup(here)
            os.dup2(first, 3)
            os.dup2(second, 4)

        self.process = subprocess.Popen(  # pylint: disable=consider-using-with,subprocess-popen-preexec-fn
            [chromium, "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run",
             "--disable-background-networking", "--disable-component-update", "--disable-extensions",
             "--remote-debugging-pipe", f"--user-data-dir={self.profile}", "--hide-scrollbars",
             f"--window-size={width},{height}", "about:blank"],
            preexec_fn=pipes, close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(there)
        os.close(here)
        self.asked, self.session, self.said, self.rest = 0, None, [], b""
        target = next(t for t in self.ask("Target.getTargets")["targetInfos"] if t["type"] == "page")
        self.session = self.ask("Target.attachToTarget", targetId=target["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.ask(f"{domain}.enable")
        self.size(width, height)

    def size(self, width, height):
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def message(self):
        while b"\0" not in self.rest:
            more = os.read(self.back, 1 << 20)
            if not more:
                sys.exit("not ok: Chromium has ended")
            self.rest += more
        one, self.rest = self.rest.split(b"\0", 1)
        return json.loads(one)

    def ask(self, method, **params):
        self.asked += 1
        question = {"id": self.asked, "method": method, "params": params}
        if self.session:
            question["sessionId"] = self.session
        os.write(self.to, json.dumps(question).encode() + b"\0")
        while True:
            m = self.message()
            if m.get("method") in ("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded",
                                   "Page.javascriptDialogOpening"):
                self.said.append(m["params"])
            if m.get("id") == self.asked:
                if "error" in m:
                    sys.exit(f"not ok: {method}: {m['error']}")
                return m["result"]

    def go(self, url):
        self.ask("Page.navigate", url=url)

    def value(self, expression):
        return self.ask("Runtime.evaluate", expression=expression, returnByValue=True)["result"].get("value")

    def wait(self, expression, what):
        end = time.monotonic() + 30
        while time.monotonic() < end:
            if self.value(expression):
                print(f"ok: {what}")
                return
        sys.exit(f"not ok: {what}: {str(self.value('document.documentElement.textContent'))[:2000]}")

    def key(self, key):
        text = {"text": key} if len(key) == 1 else {}
        self.ask("Input.dispatchKeyEvent", type="keyDown", key=key, **text)
        self.ask("Input.dispatchKeyEvent", type="keyUp", key=key)

    def picture(self, path):
        data = self.ask("Page.captureScreenshot", format="png")["data"]
        with open(path, "wb") as f:
            f.write(base64.b64decode(data))

    def end(self):
        self.process.terminate()
        self.process.wait(timeout=30)
        while os.path.exists(self.profile):  # children of Chromium may write for a moment longer
            shutil.rmtree(self.profile, ignore_errors=True)


TEXT = "document.body.innerText"
SIXTY = ["reg 4096 -name window", "listen 7471 -address 10.0.0.1 -share window -accept", "connect 10.0.0.1 7471",
         'post write -text "hello, memory"', "poll", 'post write -text "too far" -at 4090', "catch poll"]


def both_directions(b, s):
    """README's eight lines, and back to an earlier row."""
    b.wait(f"{TEXT}.includes('No queue pair yet')", "nothing is there yet")
    b.wait("document.querySelectorAll('#memory .byte.changed').length == 3 && !document.querySelector('#memory .new')",
           "bytes that are older than the page have not just changed")
    s.run("mem put before 0 new")
    b.wait("document.querySelectorAll('#memory .byte.new').length == 3 && "
           "document.querySelectorAll('#memory .byte.changed').length == 3", "bytes that have changed before")
    s.run("mem put before 64 000000 -hex")
    b.wait("document.querySelectorAll('#memory .byte.new').length == 3 && "
           "document.querySelectorAll('#memory .byte.changed').length == 3", "also those that are zeros again")
    s.run("destroy before")
    for line in SIXTY[:4]:
        s.run(line)
    b.wait("document.querySelectorAll('#qps .req').length == 1", "a request in its queue")
    for line in SIXTY[4:]:
        s.run(line)
    b.wait("document.querySelector('#cqs .wc.bad') !== null", "a failed completion")
    b.wait(f"{TEXT}.includes('window + 4090')", "why")
    b.wait("document.querySelectorAll('#qps .card.bad').length == 2", "both QPs in ERR")
    b.wait("document.querySelectorAll('#memory .new').length > 5", "bytes that have just changed")
    b.key("f")
    b.wait("document.querySelector('#ladder-body .chosen') !== null", "the next failure is chosen")
    b.wait("document.querySelector('#ladder-body .chosen').textContent.includes('NAK') && "
           "document.getElementById('why-body').textContent.includes('window + 4090')", "and what it has led to")
    b.wait("[...document.querySelectorAll('.lanes b')].map(e => e.textContent.split(':')[0]).join() == 'client,server' && "
           "document.querySelector('.lanes').getBoundingClientRect().top < "
           "document.getElementById('ladder').getBoundingClientRect().top + 60", "the lanes have names where they are seen")
    for _ in range(6):
        b.key("ArrowUp")
    b.wait("document.querySelectorAll('#qps .card').length == 2 && !document.querySelector('#qps .card.bad') && "
           f"{TEXT}.includes('as it was at')", "an earlier row: both QPs in RTS")
    b.key("End")
    b.wait("document.querySelectorAll('#qps .card.bad').length == 2", "and back")


def panes(b):
    b.key("1")
    b.wait("document.getElementById('ladder').offsetParent === null && document.getElementById('qps').clientHeight > "
           "innerHeight - 120", "a pane alone")
    b.key("1")
    b.key("4")
    b.wait("document.getElementById('memory').clientWidth > innerWidth - 40", "also one that shares its place")
    b.key("4")
    b.wait("[...document.querySelectorAll('.dump')].every(e => e.scrollWidth <= e.clientWidth)",
           "the bytes have room beside other panes")
    b.key("t")
    b.wait("document.querySelectorAll('#ladder-body tr').length > 20", "the timeline as a table")
    ok(b.value("document.querySelector('#ladder-body td').clientHeight < 80"), "whose times are on a line")
    b.key("t")
    for width, height in ((1920, 1080), (3840, 2160), (1280, 720)):
        b.size(width, height)
        b.wait("parseFloat(getComputedStyle(document.body).fontSize) > .018 * innerHeight",
               f"the letters have their share of {width}x{height}")
        b.wait("(p => p.scrollTop + p.clientHeight > p.scrollHeight - 2)(document.getElementById('ladder-body'))",
               "and the newest row is seen")


def hostile(b, s):
    s.run("set hostile [subst -nocommands -novariables {%s}]" % HOSTILE.replace("\x1b", "\\x1b").replace("\x07", "\\x07"))
    s.run("listen 7472 -address 10.0.0.1; connect 10.0.0.1 7472 -name out -prepare")
    s.run("cm connect out -nowait -private-data $hostile; accept; catch {reg 64 -name $hostile}")
    b.wait("document.body.textContent.replace(/\\s/g, '').includes('alert(1)')", "hostile text is shown")
    ok(b.value("document.scripts.length") == 3, "and is no element")


def file_of_all(b):
    """The page of report, without the program."""
    b.go(f"file://{os.getcwd()}/page.html")
    b.wait(f"{TEXT}.includes('<b>seconds</b>') && {TEXT}.includes('at the end')", "a file, whose title is text")
    b.key("Home")
    b.wait(f"{TEXT}.includes('as it was at') && document.querySelectorAll('#qps .card').length == 0",
           "before its first row there was no QP")
    b.key("f")
    b.wait("document.querySelectorAll('#qps .card').length == 2", "at a failure there were two")


def figures(b, s):
    """No text of a drawing is cut off at its edge."""
    s.run("qp-state qp0 -svg one.svg; timeline -svg ladder.svg; foreach t {RC UC UD} {qp-state -svg $t.svg -type $t}")
    for name in ("one", "ladder", "RC", "UC", "UD"):
        b.go(f"file://{os.getcwd()}/{name}.svg")
        b.wait("document.documentElement.viewBox && document.querySelectorAll('text').length > 5 && "
               "[...document.querySelectorAll('text')].every(text => { const its = text.getBBox(), "
               "all = document.documentElement.viewBox.baseVal; return its.x >= 0 && its.y >= all.y && "
               "its.x + its.width <= all.width && its.y + its.height <= all.y + all.height; })",
               f"the text of {name}.svg is in the drawing")


def main():
    rdmash, chromium, keep = sys.argv[1], sys.argv[2], sys.argv[3] if len(sys.argv) > 3 else None
    s = Session(rdmash)
    s.run("reg 4096 -name before; mem put before 64 old")
    b = Browser(chromium, 1280, 720)
    try:
        b.go(s.url)
        both_directions(b, s)
        if keep:
            time.sleep(0.6)  # what moves has arrived
            b.picture(f"{keep}/live-720.png")
        panes(b)
        hostile(b, s)
        s.run("report page.html -force -title {Sixty <b>seconds</b>}")
        b.value("1")
        ok(not b.said, "the console is silent", b.said)
        s.run("view off")
        b.wait(f"{TEXT}.includes('does not answer')", "the end of view is seen")
        said = [m for m in b.said if "net::ERR_" not in json.dumps(m)]
        ok(not said, "and says of it only that nobody answers", said)
        file_of_all(b)
        figures(b, s)
    finally:
        b.end()
    ok(s.end() == 0, "the exit status")


if __name__ == "__main__":
    main()
