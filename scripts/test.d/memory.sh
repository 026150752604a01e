# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2034,SC2154 # scripts/test reads and sets variables
what['memory all']='a build with AddressSanitizer and UndefinedBehaviorSanitizer, and the quick tier without
	the terminal, and without what takes a minute there'
what['memory long']='a build with these sanitizers, and all tests that need no virtual machine'
tests['memory all']='-LE ^(all|long|plain|source|tty)$
	-E ^(help-examples-uroce|seeds-uroce|shell_script|taught_page|uroce_squat|view|vtrace-check-views)$'
tests['memory long']='-LE ^(lab|package|browser|bench|plain|source)$'

step_memory() {
	build build-asan "${sanitized[@]}" "$(werror gcc)" -DRDMASH_SANITIZE=ON || return
	run_tests build-asan "memory $tier"
}
