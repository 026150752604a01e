# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2034,SC2154 # scripts/test reads and sets variables
what[threads]='the embedded device and the record of calls with ThreadSanitizer; scripts and programs: see
	races'
tests[threads]='-R ^(uroce_.*|calls_.*|record.*)$ -LE ^(all|long|lab)$
	-E ^uroce_(fuzz.*|rdma_link|squat|tool_hides)$'

step_threads() {
	local only=()
	! command -v ninja >/dev/null || only=(uroce/all calls/all)
	build build-tsan "${sanitized[@]}" "$(werror gcc)" -DRDMASH_SANITIZE=thread || return
	run_tests build-tsan threads
}
