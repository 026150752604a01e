# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2034,SC2154 # scripts/test reads and sets variables
what[paths]='the tests of the embedded device, also against rdma_rxe, with UROCE_PATH=udp, then with
	UROCE_PATH=memory'
tests[paths]='-L ^uroce$ -LE ^(lab|plain|fuzz)$'
tests['paths interop']='-R ^uroce_interop_'

step_paths() {
	local path
	build build -DCMAKE_C_COMPILER=gcc -DBUILD_TESTING=ON || return
	for path in udp memory; do
		UROCE_PATH=$path run_tests build paths
		UROCE_PATH=$path run_tests build 'paths interop'
	done
}
