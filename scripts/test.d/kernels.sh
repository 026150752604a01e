# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2034,SC2086,SC2154 # scripts/test reads and sets variables
what[kernels]='the tests in one virtual machine and against the embedded device, with the rdma_rxe of each kernel in
	RDMASH_KERNELS: files of packages, linux-image-VERSION_amd64.deb'
tests[kernels]='-L ^rxe$'

step_kernels() {
	local package
	if [ -z "${RDMASH_KERNELS-}" ]; then
		echo 'no other kernel: RDMASH_KERNELS is empty' | tee -a "$state/told"
		result='not run: RDMASH_KERNELS is empty'
		return
	fi
	build build -DCMAKE_C_COMPILER=gcc -DBUILD_TESTING=ON || return
	for package in $RDMASH_KERNELS; do
		RXE_LAB_KERNEL_DEB=$(realpath "$package") RXE_LAB_CACHE=$root/build/kernels/$(basename "$package" .deb) \
			run_tests build kernels
	done
	result="passed, $(basename -a $RDMASH_KERNELS | paste -sd' ')"
}
