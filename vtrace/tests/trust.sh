#!/bin/bash
# SPDX-License-Identifier: MIT
#
# trust.sh VTRACE UROCE PROGRAMS: what a traced program and others can do to vtrace, and vtrace to
# the program: the promises of docs/trust.md. PROGRAMS has traced_program and traced_scribbler.
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
finish
