#!/bin/sh
# SPDX-License-Identifier: MIT
# links.sh VTRACE SOURCE: vtrace needs neither the interpreter nor the editor of the shell, and what it
# is made of does not know them.
cd "$2" || exit 1
found=$(readelf -d "$1" | grep -E 'NEEDED.*lib(tcl|edit)'
	grep -rlE '#include [<"](tcl|histedit)\.h|#include "(shell|cmds)/' --include='*.[ch]' --exclude-dir=tests \
		vtrace model calls common)
[ -z "$found" ] || { printf 'vtrace has these of the shell:\n%s\n' "$found"; exit 1; }
