#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""facts.py OUT.c PROVIDERS.txt FAMILY.txt...: writes what explain knows, and the names of the constants with it.

A file FAMILY.txt is a family of entries. Its first lines, up to an empty one, hold for all of them:

	family: wc-status              as it is typed
	title: completion status
	words: wc_status_words         the table of names in words.h
	prefix: IBV_WC_                of the constants in the headers; a family without has no numbers
	text: fact_wc_status_text      the C function with the libraries' own words for a value
	see: volume 1, 11.6.2          'here', 'see' and 'script' of entries that have none; "-": none
	$flushed: the QP is in ERR     stands for each $flushed in the entries

An entry is a name and its meaning. Without a constant in all headers it has its value as well:

	FLUSH = 8: a flush of this end
		text: the name in full
		name: other names of it, with ", " between
		also: words that people look for when they mean this
		here: what this end sees
		peer: what the other end sees
		cause: why it happens; a line each, the usual one first
		cause of ibv_reg_mr, ibv_create_*: the same, for some functions (or errnos) only
		cure: what to do about it; a line each
		see: the man page, or the section of the specification
		script: the one that provokes it on a device and asserts what stands here

A line that is indented further continues the one before it. '#' begins a comment.

In providers.txt, an entry is a provider of libibverbs:

	mlx5: NVIDIA Connect-IB, ConnectX-4 and later
		vendor: 0x02c9                 its vendor_id
		from part: 0x1011              the least vendor_part_id, if not 0
		vendor source: where this is said; scripts/tests/explain/facts.sh looks up "pci.ids: NAME"
			and "oui.txt: NAME"
		ibv_poll_cq: in what that function differs; several lines may be of one
		source: where this is said, of the line before
"""
import re
import sys

OWN_SEE = ("here", "see", "script")
ONCE = {"text", "name", "also", "here", "peer", "see", "script"}
NEEDED = {"family", "title", "words"}
HEADING = {*NEEDED, "prefix", "text", *OWN_SEE}


class Mistake(Exception):
    """Something in a file that cannot be."""


def statements(path):
    """(line number, indented, key, text) of each statement; an empty line is (n, False, "", "")."""
    found = []
    with open(path, encoding="utf-8") as file:
        for n, line in enumerate(file, 1):
            text = line.strip()
            if text.startswith("#"):
                continue
            if text and line.startswith("\t\t") and found and found[-1][2]:
                found[-1][3] += " " + text
                continue
            m = re.fullmatch(r"(.+?):(?: (.*))?", text)
            if text and (not m or line.startswith((" ", "\t\t"))):
                raise Mistake(f"{path}:{n}: '{text}' is no 'KEY: TEXT'")
            found.append([n, line.startswith("\t"), m[1] if m else "", (m[2] or "") if m else ""])
    return found


def entry_of(path, n, name, means):
    m = re.fullmatch(r"(\w+)(?: = (\d+|1 << \d+))?", name)
    if not m:
        raise Mistake(f"{path}:{n}: '{name}' is neither NAME nor NAME = NUMBER")
    return {"line": n, "name of": m[1], "value": m[2], "means": means, "cause": [], "cure": []}


def read(path):
    """The heading of a family, and its entries."""
    heading, entries, shared = {}, [], {}
    in_heading = True
    for n, indented, key, text in statements(path):
        for name in set(re.findall(r"\$\w+", text)) - shared.keys():
            raise Mistake(f"{path}:{n}: the heading does not say what {name} is")
        text = re.sub(r"\$\w+", lambda m: shared[m[0]], text)
        if not key:
            in_heading = False
        elif in_heading and key.startswith("$"):
            shared[key] = text
        elif in_heading and key in HEADING:
            heading[key] = text
        elif not in_heading and not indented:
            entries.append(entry_of(path, n, key, text))
        elif indented and entries and re.match("cause($| of )", key):
            entries[-1]["cause"].append((key[len("cause of "):], text))
        elif indented and entries and key == "cure":
            entries[-1]["cure"].append(text)
        elif indented and entries and key in ONCE and key not in entries[-1]:
            entries[-1][key] = text
        else:
            raise Mistake(f"{path}:{n}: '{key}' cannot stand here")
    for key in NEEDED - heading.keys():
        raise Mistake(f"{path}: the heading has no '{key}: TEXT'")
    names = [e["name of"] for e in entries]
    for i, e in enumerate(entries):
        for key in OWN_SEE:
            e.setdefault(key, heading.get(key, "-"))
        if e["see"] == "-":
            raise Mistake(f"{path}:{e['line']}: {names[i]} tells no source: 'see: TEXT'")
        if names[i] in names[:i]:
            raise Mistake(f"{path}:{e['line']}: there is a {names[i]} already")
    return heading, entries


def quoted(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def strings(texts):
    return "(const char *const[]){ " + ", ".join(map(quoted, texts)) + ", NULL }"


def value_of(heading, entries, e):
    if e["value"]:
        return e["value"]
    return heading["prefix"] + e["name of"] if "prefix" in heading else str(entries.index(e))


def fact(value, e):
    fields = [f".value = {value}"]
    for key, member in (("text", "text"), ("here", "here"), ("peer", "there"), ("see", "source"),
                        ("script", "script")):
        if e.get(key, "-") != "-":
            fields.append(f".{member} = {quoted(e[key])}")
    for key, member in (("name", "names"), ("also", "synonyms")):
        if key in e:
            fields.append(f".{member} = {strings(e[key].split(', '))}")
    if e["cause"]:
        causes = "".join(f"\t\t{{ {quoted(of) if of else 'NULL'}, {quoted(text)} }},\n"
                         for of, text in e["cause"])
        fields.append(f".causes = (const struct fact_cause[]){{\n{causes}\t\t{{ 0 }} }}")
    if e["cure"]:
        fields.append(f".cures = {strings(e['cure'])}")
    return "\t{ " + ",\n\t  ".join(fields) + " },\n"


def write_family(out, heading, entries):
    values = [value_of(heading, entries, e) for e in entries]
    out.write(f"\nconst struct word {heading['words']}[] = {{\n")
    out.writelines(f"\t{{ {quoted(e['name of'])}, {v}, {quoted(e['means'])} }},\n"
                   for v, e in zip(values, entries))
    out.write(f"\t{{ 0 }}\n}};\n\nstatic const struct fact {heading['words']}_facts[] = {{\n")
    out.writelines(fact(v, e) for v, e in zip(values, entries))
    out.write("\t{ 0 }\n};\n")


def family_row(heading):
    return (f'\t{{ {quoted(heading["family"])}, {quoted(heading["title"])}, '
            f'{quoted(heading.get("prefix", ""))}, {heading["words"]}, {heading["words"]}_facts, '
            f'{heading.get("text", "NULL")}, {"false" if "prefix" in heading else "true"} }},\n')


def read_providers(path):
    found = []
    for n, indented, key, text in statements(path):
        if key and not indented:
            found.append({"line": n, "name": key, "title": text, "from part": "0", "rows": []})
        elif key and not found:
            raise Mistake(f"{path}:{n}: '{key}' is of no provider")
        elif key in ("vendor", "vendor source", "from part"):
            found[-1][key] = text
        elif key.startswith(("ibv_", "rdma_")):
            found[-1]["rows"].append((key, text))
        elif key == "source" and found[-1]["rows"]:
            found[-1]["rows"][-1] += (text,)
        elif key:
            raise Mistake(f"{path}:{n}: '{key}' cannot stand here")
    for p in found:
        at = f"{path}:{p['line']}: {p['name']}"
        for key in {"vendor", "vendor source"} - p.keys():
            raise Mistake(f"{at} has no '{key}: TEXT'")
        if not p["rows"] or {len(row) for row in p["rows"]} != {3}:
            raise Mistake(f"{at}: each line of a function is followed by 'source: TEXT'")
    return found


def provider_row(p):
    rows = "".join(f"\t\t{{ ROW_{function}, {quoted(text)}, {quoted(source)} }},\n"
                   for function, text, source in p["rows"])
    return (f'\t{{ {quoted(p["name"])}, {quoted(p["title"])}, {p["vendor"]}, {p["from part"]}, '
            f'{quoted(p["vendor source"])},\n\t  (const struct difference[]){{\n{rows}'
            '\t\t{ 0 } } },\n')


def main():
    try:
        families = [read(path) for path in sys.argv[3:]]
        providers = read_providers(sys.argv[2])
    except Mistake as mistake:
        sys.exit(str(mistake))
    with open(sys.argv[1], "w", encoding="utf-8") as out:
        out.write("/* Written by facts.py. */\n#include <errno.h>\n#include <infiniband/verbs.h>\n"
                  "#include <rdma/rdma_cma.h>\n\n#include \"facts.h\"\n#include \"words.h\"\n")
        for heading, entries in families:
            write_family(out, heading, entries)
        out.write("\nconst struct fact_family fact_families[] = {\n")
        out.writelines(family_row(heading) for heading, _ in families)
        out.write("\t{ 0 }\n};\n\nconst struct provider providers[] = {\n")
        out.writelines(map(provider_row, providers))
        out.write("\t{ 0 }\n};\n")


main()
