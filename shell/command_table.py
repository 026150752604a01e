#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""command_table.py OUT.c SOURCE.c...: writes the tables of all commands and all topics of help,
sorted by name.

A command, or a topic, is a definition in one of the sources, and the comment before it is its help:

	/** Lines of one paragraph. An empty line separates paragraphs, and
	 * indented lines stay as they are.
	 * > an example of the command
	 * > another one, which may go on in
	 *   an indented line => text that it shows */
	const struct cmd cmd_NAME = {
		.name = "the words that are typed",

The examples come last; help shows them, and the tests run them in order.
"""
import itertools
import re
import sys

DEFINITION = re.compile(r'^/\*\*(?P<help>(?:(?!\*/).)*)\*/\n'
                        r'const struct (?P<type>cmd|topic) (?P<symbol>\w+) = \{\s'
                        r'\s?\.name = "(?P<name>[^"]+)"', re.M | re.S)


def definitions(path):
    with open(path, encoding="utf-8") as source:
        text = source.read()
    found = [m.groupdict() for m in DEFINITION.finditer(text)]
    begun = re.findall(r"^const struct (?:cmd|topic) (\w+) = ", text, re.M)
    for symbol in set(begun) - {d["symbol"] for d in found}:
        sys.exit(f"{path}: {symbol} does not have its help in a comment '/** ... */' directly "
                 "before it, or its .name in the first line")
    for d in found:
        d["text"], *d["examples"] = re.split("^> ", without_stars(d["help"]), flags=re.M)
        if any(re.search(r"\n\S", example) for example in d["examples"]):
            sys.exit(f"{path}: {d['symbol']}: its examples do not end the comment")
        if d["examples"] and d["type"] == "topic":
            sys.exit(f"{path}: {d['symbol']}: a topic has no examples: indent '> ...'")
    return found


def without_stars(comment):
    return "\n".join(re.sub(r"^ (\* ?)?", "", line).rstrip() for line in comment.split("\n"))


def c_string(text):
    """The string literal of a text, a line of C for each line."""
    text = text.strip("\n").replace("\\", "\\\\").replace('"', '\\"')
    return '"' + text.replace("\n", '\\n"\n\t"') + '"'


def example_list(examples):
    rows = ""
    for example in examples:
        line, _, shows = re.sub(r"\n *", " ", example.strip()).partition(" => ")
        rows += f'\t\t{{ {c_string(line)}, {c_string(shows) if shows else "NULL"} }},\n'
    return f"(const struct cmd_eg[]){{\n{rows}\t\t{{ NULL, NULL }} }}"


def write_table(out, name, rows):
    """NAME_table[] of the definitions, and NAME_texts[] of their help."""
    out.writelines(f'extern const struct {name} {d["symbol"]};\n' for d in rows)
    out.write(f"\nconst struct {name} *const {name}_table[] = {{\n")
    out.writelines(f'\t&{d["symbol"]},\n' for d in rows)
    out.write(f"\tNULL,\n}};\n\nconst char *const {name}_texts[] = {{\n")
    out.writelines(f'\t{c_string(d["text"])},\n' for d in rows)
    out.write("};\n\n")


def group_row(word, commands):
    """The commands that share a first word."""
    alone = "NULL"
    members = ""
    for c in commands:
        if c["name"] == word:
            alone = "&" + c["symbol"]
        else:
            members += f'\t\t{{ "{c["name"].split(" ")[1]}", &{c["symbol"]} }},\n'
    if members:
        members = f"(const struct cmd_member[]){{\n{members}\t\t{{ NULL, NULL }} }}"
    return f'\t{{ "{word}", {alone}, {members or "NULL"} }},\n'


def main():
    rows = sorted((d for path in sys.argv[2:] for d in definitions(path)), key=lambda d: d["name"])
    commands = [d for d in rows if d["type"] == "cmd"]
    with open(sys.argv[1], "w", encoding="utf-8") as out:
        out.write("/* Commands and topics of help, sorted by name: written by command_table.py. */\n"
                  '#include <stddef.h>\n\n#include "command/cmd.h"\n#include "help/help.h"\n\n')
        write_table(out, "cmd", commands)
        out.write("const struct cmd_eg *const cmd_example_lists[] = {\n")
        out.writelines(f'\t{example_list(c["examples"])},\n' for c in commands)
        out.write("};\n\n")
        write_table(out, "topic", [d for d in rows if d["type"] == "topic"])
        out.write("const struct cmd_group cmd_groups[] = {\n")
        for word, members in itertools.groupby(commands, lambda c: c["name"].split(" ")[0]):
            out.write(group_row(word, members))
        out.write("\t{ NULL, NULL, NULL },\n};\n")


main()
