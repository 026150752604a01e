#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""command_table.py OUT.c SOURCE.c...: writes the table of all commands, sorted by name.

A command is a definition in one of the sources, and the comment before it is its help:

	/** Lines of one paragraph. An empty line separates paragraphs, and
	 * indented lines stay as they are. */
	const struct cmd cmd_NAME = {
		.name = "the words that are typed",
"""
import itertools
import re
import sys

COMMAND = re.compile(r'^/\*\*(?P<help>(?:(?!\*/).)*)\*/\n'
                     r'const struct cmd (?P<symbol>cmd_\w+) = \{\n'
                     r'\t\.name = "(?P<name>[^"]+)"', re.M | re.S)


def commands_of(path):
    with open(path, encoding="utf-8") as source:
        text = source.read()
    found = [m.groupdict() for m in COMMAND.finditer(text)]
    begun = re.findall(r"^const struct cmd (cmd_\w+) = ", text, re.M)
    for symbol in set(begun) - {c["symbol"] for c in found}:
        sys.exit(f"{path}: {symbol} does not have its help in a comment '/** ... */' directly "
                 "before it, or its .name in the first line")
    return found


def c_string(comment):
    """The string literal of a comment's text: without its stars, a line of C for each line."""
    lines = [re.sub(r"^ \* ?", "", line) for line in comment.strip().split("\n")]
    text = "\n".join(line.rstrip() for line in lines).strip("\n")
    text = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + text.replace("\n", '\\n"\n\t"') + '"'


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
    commands = sorted((c for path in sys.argv[2:] for c in commands_of(path)),
                      key=lambda c: c["name"])
    groups = itertools.groupby(commands, lambda c: c["name"].split(" ")[0])
    with open(sys.argv[1], "w", encoding="utf-8") as out:
        out.write("/* Every command, sorted by name: written by command_table.py. */\n"
                  "#include <stddef.h>\n\n#include \"command/cmd.h\"\n\n")
        out.writelines(f'extern const struct cmd {c["symbol"]};\n' for c in commands)
        out.write("\nconst struct cmd *const cmd_table[] = {\n")
        out.writelines(f'\t&{c["symbol"]},\n' for c in commands)
        out.write("\tNULL,\n};\n\nconst char *const cmd_texts[] = {\n")
        out.writelines(f'\t{c_string(c["help"])},\n' for c in commands)
        out.write("};\n\nconst struct cmd_group cmd_groups[] = {\n")
        out.writelines(group_row(word, members) for word, members in groups)
        out.write("\t{ NULL, NULL, NULL },\n};\n")


main()
