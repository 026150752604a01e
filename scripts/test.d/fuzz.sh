# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2034,SC2154 # scripts/test reads and sets variables
what[fuzz]='15 seconds of libFuzzer for each of its targets'
tests[fuzz]='-L ^fuzz$'

step_fuzz() {
	need_clang || return 0
	build build-fuzz -DCMAKE_C_COMPILER=clang -DRDMASH_FUZZ=ON -DRDMASH_FUZZ_SECONDS=15 || return
	run_tests build-fuzz fuzz -L '^fuzz$'
}
