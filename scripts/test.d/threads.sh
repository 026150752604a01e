# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2034,SC2154 # scripts/test reads and sets variables
what[threads]='a build with ThreadSanitizer: unit tests, and the embedded device with other programs'
tests[threads]=$threads

# The shell's own tests have threads only in other processes.
step_threads() {
	build build-tsan "${sanitized[@]}" "$(werror gcc)" -DRDMASH_SANITIZE=thread || return
	run_tests build-tsan threads
}
