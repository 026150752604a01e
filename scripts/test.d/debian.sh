# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2034,SC2154 # scripts/test reads and sets variables
what[debian]='Debian 13 in a tree of its own: the tests without virtual machines, with its gcc,
	Slurm and sshd, the tests of its pyverbs, and a build with its clang, warnings as errors'
tests[debian]='-LE ^(lab|long)$ -E ^(bench-.*|shellcheck|clang-format)$'

step_debian() {
	local dir=$trees/trixie at=/root/rdmash
	need debootstrap || return
	tree "$dir" trixie || return
	copy_sources "$dir$at"
	# shellcheck disable=SC2086  # words
	inside "$dir" "$at/scripts/test" ${tests[debian]} || fail 'Debian 13'
	inside "$dir" "$at/scripts/programs" -d uroce pyverbs || fail "rdma-core's tests of pyverbs"
	# shellcheck disable=SC2016
	inside "$dir" sh -c 'cd "$1" && apt-get -qq install -y clang >clang.log 2>&1 &&
		cmake -S . -B build-clang -DCMAKE_C_COMPILER=clang -DRDMASH_WERROR=ON >clang.log &&
		cmake --build build-clang --parallel "$(nproc)" >>clang.log 2>&1 ||
		{ tail -n 40 clang.log; exit 1; }' sh "$at" || fail "clang of Debian 13"
}
