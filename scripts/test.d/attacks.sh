# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2034,SC2154 # scripts/test reads and sets variables
what[attacks]='two minutes, or RDMASH_ATTACK_SECONDS, of each kind of attack: links that change places
	during writes, packets and messages of the connection manager of any content, rings that
	are scribbled on, 32 processes that are stopped and killed, silent clients, connections
	and events in a loop, terminals that hang up; how often each was tried is printed'

step_attacks() {
	build build -DCMAKE_C_COMPILER=gcc -DBUILD_TESTING=ON || return
	bash scripts/tests/on.sh uroce python3 scripts/tests/attacks.py build/rdmash \
		"${RDMASH_ATTACK_SECONDS:=120}" || fail attacks
	result="passed, $RDMASH_ATTACK_SECONDS s for each kind"
}
