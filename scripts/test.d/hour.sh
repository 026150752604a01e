# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2034,SC2154 # scripts/test reads and sets variables
what[hour]='an hour of libFuzzer for each of its targets, or RDMASH_FUZZ_SECONDS seconds'
tests[hour]='-L ^fuzz$'

step_hour() {
	need_clang || return
	build build-fuzz -DCMAKE_C_COMPILER=clang -DRDMASH_FUZZ=ON \
		-DRDMASH_FUZZ_SECONDS="${RDMASH_FUZZ_SECONDS:=3600}" || return
	result="passed, $RDMASH_FUZZ_SECONDS s for each target"
	jobs=$(nproc) run_tests build-fuzz hour -L '^fuzz$'
}
