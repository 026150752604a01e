# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2034,SC2154 # scripts/test reads and sets variables
what[lab]='self-tests of the virtual machines: scripts/rxe-lab'
tests[lab]='-L ^long$'

step_lab() {
	build build -DCMAKE_C_COMPILER=gcc -DBUILD_TESTING=ON || return
	run_tests build lab
}
