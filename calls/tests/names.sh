#!/bin/sh
# SPDX-License-Identifier: MIT
# names.sh TOP: nobody but the table's own reader (calls/) compares the names of functions, of their
# arguments and structs, or of headers, and nothing searches in what was printed: all else has values
# of the table. Fails by file and line. Allowed: what the user has typed, which is looked up there.
cd "$1" || exit
typed='^cmds/call/call_structs.c:.*[(]f->name, (key|path|Tcl_GetString[(]key[)]), n[)]'
found=$(grep -nE 'str(case)?n?(str|cmp)\(' -r cmds shell --include='*.c' | grep -v /tests/ |
	grep -E '(fn|of|words|args\[[^]]*\]|[^a-z]v|f|count|with)(->|\.)(name|header)\b|"(ibv|rdma)_|fn->|->calls|opcode|text_str\(&p->(body|before|phases|warnings)\)' |
	grep -vE "$typed" | grep -vE '^cmds/explain/')
[ -z "$found" ] && exit
echo "compared as text:"
echo "$found"
exit 1
