# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2034,SC2154 # scripts/test reads and sets variables
what[suite]='one build; unit tests, scripts and other programs on the embedded device, terminal,
	manual pages. With --all also packages, the page in Chromium, the kernel'"'"'s device (rdma_rxe)
	in one virtual machine and one pair of them, the embedded device against rdma_rxe, and siw; all
	others but unit tests run in the step memory'
tests['suite quick']='-LE ^(slow|lab|package|browser|all|long)$'
tests['suite all']='-L ^(unit|lab|all|package|browser|source|bench)$ -LE ^long$'

step_suite() {
	local warnings=-DRDMASH_WERROR=OFF why
	[ "$tier" = quick ] || warnings=$(werror gcc)
	build build -DCMAKE_C_COMPILER=gcc "$warnings" -DBUILD_TESTING=ON || return
	done_with 'built with gcc'
	if [ "$tier" = all ]; then
		command -v chromium >/dev/null || need chromium ||
			echo 'no Chromium: the page is not tested in a browser'
		# prepares the kernel and the initrd of the lab once
		why=$(scripts/rxe-lab check 2>&1) || echo "no virtual machines: $(tail -n 1 <<<"$why")"
	fi
	run_tests build "suite $tier"
}
