# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2034,SC2154 # scripts/test reads and sets variables
what[clang]='what clang says of each file, with the headers of rdma-core 56, from Debian 13'"'"'s packages,
	which stay below ~/.cache'

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

# No code is generated and no program is linked, which takes a third of the time.
step_clang() {
	local dir=$trees/headers-trixie log=build-clang/setup.log look=$root/scripts/test.d/lib/look objects with=()
	need_clang && need ninja-build || return 0
	if newer_headers "$dir"; then
		with=(-DCMAKE_C_FLAGS="-isystem $dir/usr/include")
		export PKG_CONFIG_PATH
		PKG_CONFIG_PATH=$(echo "$dir"/usr/lib/*/pkgconfig)
	else
		echo 'without the headers of rdma-core 56: Debian 13 cannot be reached' | tee -a "$state/told"
	fi
	mkdir -p build-clang
	cmake -S . -B build-clang -G Ninja -DCMAKE_C_COMPILER=clang "$(werror clang)" \
		-DCMAKE_C_COMPILER_LAUNCHER="$look" -DCMAKE_C_LINKER_LAUNCHER="$look" "${with[@]}" >"$log" || return
	[ "${#with[@]}" = 0 ] || grep -q '^VERBS_libibverbs_VERSION:.*\.56\.' build-clang/CMakeCache.txt || return
	mapfile -t objects < <(ninja -C build-clang -t targets all | sed -n 's/\.o: C_COMPILER__.*/.o/p')
	[ "${#objects[@]}" -gt 0 ] || return
	watched "$log" ninja -C build-clang "${objects[@]}" || { tail -n 40 "$log"; return 1; }
	echo "${#objects[@]} files"
}
