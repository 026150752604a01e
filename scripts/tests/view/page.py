#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""page.py FILE.html: checks that a page of report runs nothing but its own script and loads nothing,
and prints what it shows as lines: "title: ...", "row: ms end kind text", "qp: row name text" ..."""
import json
import re
import sys
from html.parser import HTMLParser
from xml.etree import ElementTree


class Page(HTMLParser):
    """The elements of a page that could run or load something, and the texts of its scripts."""

    def __init__(self, text):
        super().__init__()
        self.scripts, self.id, self.policy, self.wrong = {}, None, "", []
        self.title, self.tag = "", ""
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.tag = tag
        if tag in ("img", "iframe", "object", "embed", "form", "a", "base", "svg"):
            self.wrong.append(tag)
        if tag == "link" and attrs.get("href") != "data:,":
            self.wrong.append(f"link to {attrs.get('href')}")
        self.wrong += [f"{tag} {name}" for name in attrs if name.startswith("on") or name in ("src", "style")]
        if attrs.get("http-equiv") == "Content-Security-Policy":
            self.policy = attrs["content"]
        self.id = None
        if tag in ("script", "style"):
            self.id = attrs.get("id", tag)
            if self.id in self.scripts:
                self.wrong.append(f"a second {self.id}")
            self.scripts[self.id] = ""
            if f"nonce-{attrs.get('nonce')}'" not in self.policy:
                self.wrong.append(f"{tag} without the nonce")

    def handle_data(self, data):
        if self.tag == "title":
            self.title += data
        if self.id:
            self.scripts[self.id] += data

    def handle_endtag(self, tag):
        self.id, self.tag = None, ""


def drawing(text):
    """Parts that a drawing must not have; it is well-formed."""
    for element in ElementTree.fromstring(text).iter():
        name = element.tag.split("}")[1]
        if name in ("script", "image", "a", "foreignObject", "style", "use") or any(
                key.startswith("on") or "href" in key for key in element.attrib):
            yield name


def check_ends(ends):
    return [f"{name} in a drawing" for end in ends for qp in end["qps"] for name in drawing(qp["svg"])]


def check_rows(rows):
    return [f"{name} in a row" for row in rows if "qp" in row for name in drawing(row["qp"]["svg"])]


def check(text):
    """Faults of the document, and its values."""
    page = Page(text)
    wrong = list(page.wrong)
    if "default-src 'none'" not in page.policy or "unsafe" in page.policy:
        wrong.append(f"policy {page.policy}")
    if sorted(page.scripts) != ["data", "past", "script", "style"]:
        wrong.append(f"scripts {sorted(page.scripts)}")
    return page, wrong


def ends_after(n, rows, past):
    """The ends after the first n rows: those that are known, and those of which rows alone tell."""
    ends = {end["name"]: end for end in next(filter(None, [*reversed(past[:n]), *past]), [])}
    told = {}
    for row in rows[:n]:
        if "qp" in row and row["end"] not in ends:
            told.setdefault(row["end"], {})[row["qp"]["name"]] = row["qp"]
    return [*ends.values(), *({"name": name, "qps": list(qps.values()), "cqs": [], "regions": []}
                              for name, qps in told.items())]


def lines(page):
    data, past = (json.loads(page.scripts[name]) for name in ("data", "past"))
    yield f"title: {page.title}"
    yield f"summary: {data['summary']}"
    if data["why"]:
        yield "last: " + data["why"].replace("\n", " ")
    for i, row in enumerate(data["rows"]):
        yield f"row: {row['time']} {row['end']} {row['kind']} {row['text']} {row.get('headers', '')}"
        if row["bad"]:
            yield f"bad: {row['end']} {row['text']}"
        if "why" in row:
            yield f"why: {row['text']}: " + row["why"].replace("\n", " ")
        for end in ends_after(i + 1, data["rows"], past):
            for qp in end["qps"]:
                yield f"then: {i} {end['name']} {qp['name']} {qp['state']}"
    for text in ElementTree.fromstring(data["ladder"]).iter():
        if text.get("class") == "again":
            yield f"again: {text.text}"
    for end in ends_after(max(len(past), len(data["rows"])), data["rows"], past):
        for qp in end["qps"]:
            yield f"qp: {end['name']} {qp['name']} {qp['type']} {qp['state']} {qp['peer']} {qp.get('why', '')}"
        for cq in end["cqs"]:
            yield f"cq: {end['name']} {cq['name']} " + " ".join(wc["status"] for wc in cq["taken"])
        for mr in end["regions"]:
            yield f"mr: {end['name']} {mr['name']} {mr['len']} {mr['access']}"
            yield f"bytes: {mr['name']} {mr.get('bytes')}"


def main():
    with open(sys.argv[1], encoding="utf-8") as f:
        page, wrong = check(f.read())
    data, past = (json.loads(page.scripts[name]) for name in ("data", "past"))
    wrong += [f"{name} in the ladder" for name in drawing(data["ladder"])] + check_rows(data["rows"])
    for ends in filter(None, past):
        wrong += check_ends(ends)
    if wrong:
        sys.exit(f"{sys.argv[1]}: {wrong}")
    print("\n".join(lines(page)))


if __name__ == "__main__":
    main()
