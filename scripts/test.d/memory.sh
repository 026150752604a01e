# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2034,SC2154 # scripts/test reads and sets variables
what[memory]='a build with AddressSanitizer and UndefinedBehaviorSanitizer, and all tests that
	need no virtual machine'
tests[memory]='-LE ^(lab|all|long|package|browser|source)$'

step_memory() {
	# -O1 makes the tests a fifth faster, which is more than it costs to build
	build build-asan "${sanitized[@]}" '-DCMAKE_C_FLAGS_DEBUG=-g -O1' "$(werror gcc)" \
		-DRDMASH_SANITIZE=ON || return
	run_tests build-asan memory
}
