# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2034,SC2154 # scripts/test reads and sets variables
what['suite quick']='unit tests, scripts and other programs on the embedded device, terminal, manual pages'
what['suite all']='the same, without the unit tests, which run in the steps memory and threads; the
	explanations and the checks of vtrace; the page in Chromium; some scripts on the kernel'"'"'s device
	(rdma_rxe) in a virtual machine'
what['suite long']='all tests, also of packages, the kernel'"'"'s device in one virtual machine and in pairs
	of them, the embedded device against it, siw, the virtual machines themselves'
tests['suite quick']='-LE ^(all|long)$'
tests['suite all']='-LE ^(unit|long)$'
tests['suite long']=''

step_suite() {
	local warnings=-DRDMASH_WERROR=OFF why
	[ "$tier" = quick ] || warnings=$(werror gcc)
	build build -DCMAKE_C_COMPILER=gcc "$warnings" -DBUILD_TESTING=ON || return
	done_with 'built with gcc'
	if [ "$tier" != quick ]; then
		command -v chromium >/dev/null || need chromium ||
			echo 'no Chromium: the page is not tested in a browser'
		# prepares the kernel and the initrd of the lab once
		why=$(scripts/rxe-lab check 2>&1) || echo "no virtual machines: $(tail -n 1 <<<"$why")"
	fi
	run_tests build "suite $tier"
}
