#!/bin/bash
# SPDX-License-Identifier: MIT
#
# trust.sh VTRACE UROCE PROGRAMS: what a traced program and others can do to vtrace, and vtrace to
# the program: the promises of docs/trust.md. PROGRAMS has traced_scribbler and traced_liar.
# shellcheck source-path=SCRIPTDIR source=../../uroce/tests/checks.sh
. "$(dirname "$0")/../../uroce/tests/checks.sh"
vtrace=$1 uroce=$2 programs=$3
start_checks

# a program that writes into the memory it shares with vtrace
for way in '' -j -c --timeline --stop-on=any "--record $tmp/script"; do
	# shellcheck disable=SC2086 # options
	timeout -k 5 60 "$vtrace" $way -o "$tmp/trace" "$uroce" "$programs/traced_scribbler" 200000 2>"$tmp/err"
	ok "scribbled on, vtrace $way" test $? = 0
done

# a program whose device and arguments have names that do something
name=$'[exec x]\e]0;"\\\nexec x'
"$vtrace" -o "$tmp/trace" "$uroce" "$programs/traced_liar" "$name"
ok "a device's name is no code of the terminal" test -z "$(tr -d '\n[:print:]' <"$tmp/trace")"
"$vtrace" -j -o "$tmp/trace" "$uroce" "$programs/traced_liar" "$name"
ok "nor the end of a string of JSON" python3 -c 'import json, sys
for line in open(sys.argv[1]): json.loads(line)' "$tmp/trace"
"$vtrace" --record "$tmp/script" "$uroce" "$programs/traced_liar" "$name"
ok "nor a command of the recorded script" test -z "$(grep -v '^#' "$tmp/script" | grep -E '^exec|\[exec x\]')"

# a program that puts a link in the place of vtrace's directory
mkdir "$tmp/precious"
touch "$tmp/precious/file"
TMPDIR=$tmp "$vtrace" --timeline -o "$tmp/trace" "$uroce" "$programs/traced_liar" uroce0 "$tmp/precious"
ok "vtrace removes its own captures only" test -e "$tmp/precious/file"
finish
