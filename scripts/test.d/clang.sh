# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2034,SC2154 # scripts/test reads and sets variables
what[clang]='a build with clang and the headers of rdma-core 56, from Debian 13'"'"'s packages, which stay
	below ~/.cache; its unit tests, which run with the libraries of this machine'
tests[clang]='-L ^unit$'

# newer_headers DIR: unpacks Debian 13's packages of the headers, and of the versions for pkg-config, into
# a new folder. apt has lists of its own for this; the packages of this machine stay as they are.
newer_headers() {
	local dir=$1 apt=$1.apt mirror keys=/usr/share/keyrings/debian-archive-keyring.gpg
	[ ! -e "$dir/complete" ] || return 0
	mirror=$(debian_mirror) || { echo "$mirror"; return 1; }
	rm -rf "$dir" "$apt"
	mkdir -p "$dir" "$apt/lists/partial" "$apt/archives/partial"
	echo "deb [signed-by=$keys] $mirror trixie main" >"$apt/sources.list"
	(cd "$apt" && for command in update 'download libibverbs-dev librdmacm-dev'; do
		# shellcheck disable=SC2086  # words
		apt-get -q -o Dir::Etc::SourceList="$apt/sources.list" -o Dir::Etc::SourceParts=/dev/null \
			-o Dir::State::Lists="$apt/lists" -o Dir::Cache="$apt" -o Acquire::Languages=none \
			-o APT::Sandbox::User="$(id -un)" -o APT::Update::Error-Mode=any $command || exit
	done) >"$dir.log" 2>&1 || { tail -n 3 "$dir.log"; return 1; }
	for deb in "$apt"/*.deb; do dpkg-deb -x "$deb" "$dir" || return; done
	rm -rf "$apt"
	touch "$dir/complete"
}

# Debug information would take a tenth of the build time.
step_clang() {
	local dir=$trees/headers-trixie with=()
	need_clang || return 0
	if newer_headers "$dir"; then
		with=(-DCMAKE_C_FLAGS="-isystem $dir/usr/include")
		export PKG_CONFIG_PATH
		PKG_CONFIG_PATH=$(echo "$dir"/usr/lib/*/pkgconfig)
	else
		echo 'without the headers of rdma-core 56: Debian 13 cannot be reached' | tee -a "$state/told"
	fi
	build build-clang -DCMAKE_C_COMPILER=clang "$(werror clang)" \
		-DCMAKE_C_FLAGS_RELWITHDEBINFO='-O2 -DNDEBUG' "${with[@]}" || return
	[ "${#with[@]}" = 0 ] || grep -q '^VERBS_libibverbs_VERSION:.*\.56\.' build-clang/CMakeCache.txt || return
	run_tests build-clang clang
}
