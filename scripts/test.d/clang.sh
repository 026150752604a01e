# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2034,SC2154 # scripts/test reads and sets variables
what[clang]='a build with clang, and its unit tests'
tests[clang]='-L ^unit$'

step_clang() {
	need_clang || return 0
	# debug information would take a tenth of the build time
	build build-clang -DCMAKE_C_COMPILER=clang "$(werror clang)" \
		-DCMAKE_C_FLAGS_RELWITHDEBINFO='-O2 -DNDEBUG' || return
	run_tests build-clang clang
}
