# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2034,SC2154 # scripts/test reads and sets variables
what[debian]='Debian 13 in a tree of its own: the tests without virtual machines, with its gcc,
	Slurm and sshd, the tests of its pyverbs; a build with its clang, warnings as errors; a build with Tcl 9.0,
	and its tests'
tests[debian]='-LE ^(lab|bench|source)$ -E ^(order-all|programs_beside_rxe)$'

step_debian() {
	local dir=$trees/trixie at=/opt/rdmash # which other users can read
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
	# Debian's tcl9.0.pc names libtommath, on which tcl9.0-dev does not depend.
	# shellcheck disable=SC2016,SC2086
	inside "$dir" sh -c 'cd "$1" && apt-get -qq install -y tcl9.0-dev libtommath-dev >tcl9.log 2>&1 &&
		cmake -S . -B build-tcl9 -DRDMASH_TCL=9.0 -DRDMASH_WERROR=ON >>tcl9.log &&
		cmake --build build-tcl9 --parallel "$(nproc)" >>tcl9.log 2>&1 ||
			{ tail -n 40 tcl9.log; exit 1; }
		ip link set lo up
		shift && ctest --test-dir build-tcl9 --output-on-failure --parallel "$(nproc)" "$@"
		' sh "$at" ${tests[debian]} || fail 'Tcl 9.0'
}
