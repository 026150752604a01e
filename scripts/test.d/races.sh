# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2034,SC2154 # scripts/test reads and sets variables
what[races]='each test ten times, or RDMASH_RACES times: with ThreadSanitizer, and without it on an
	overloaded machine'
tests['races threads']="--repeat until-fail:${RDMASH_RACES:=10}
	-R ^(.*_test|uroce_.*|example-.*-uroce|fault-wire)\$
	-E ^uroce_(fuzz.*|interop.*|perftest|host|killed|reach)\$"
tests['races busy']="--repeat until-fail:$RDMASH_RACES -LE ^(lab|package|browser|bench|plain|source)\$"

# The shell's own tests have threads only in other processes.
step_races() {
	build build-tsan "${sanitized[@]}" -DRDMASH_SANITIZE=thread || return
	run_tests build-tsan 'races threads'
	build build -DCMAKE_C_COMPILER=gcc -DBUILD_TESTING=ON || return
	jobs=$((4 * $(nproc))) run_tests build 'races busy'
	result="passed, $RDMASH_RACES times"
}
