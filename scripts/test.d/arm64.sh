# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2034,SC2154 # scripts/test reads and sets variables
what[arm64]='a build for arm64, with its unit tests under qemu-user'
# qemu-user does not support UDP socket options, or EFAULT for a mapping beyond the end of its file
tests[arm64]='-L ^unit$
	-E ^(shell_.*|call_.*|calls_headers|example-form|explain-covers|(taught|trust)_page|uroce_(mr|group|names|mcast|socket_dir|socket_locks)_test|uroce_mcast_veth)$'

# The packages of the tree are unpacked, not installed, because its programs can run here only under
# qemu-user, one at a time. So only tests that are single programs are run.
step_arm64() {
	local release dir pkg=usr/lib/aarch64-linux-gnu/pkgconfig dev
	release=$(. /etc/os-release && echo "$VERSION_CODENAME")
	dir=$trees/arm64-$release
	need debootstrap gcc-aarch64-linux-gnu qemu-user-static || return
	# shellcheck disable=SC2086  # words
	dev=$(printf '%s\n' $packages_build | grep -e '-dev$' | paste -sd,)
	tree "$dir" "$release" --arch=arm64 --foreign --include="$dev,libc6-dev,libgcc-12-dev" || return
	if [ ! -e "$dir/unpacked" ]; then
		for deb in "$dir"/var/cache/apt/archives/*.deb; do
			as_root dpkg-deb -x "$deb" "$dir"
		done
		as_root touch "$dir/unpacked"
	fi
	PKG_CONFIG_SYSROOT_DIR=$dir PKG_CONFIG_LIBDIR=$dir/$pkg:$dir/usr/share/pkgconfig \
		build build-arm64 -G 'Unix Makefiles' -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=aarch64 \
		-DCMAKE_C_COMPILER=aarch64-linux-gnu-gcc -DCMAKE_SYSROOT="$dir" \
		-DCMAKE_LIBRARY_ARCHITECTURE=aarch64-linux-gnu -DCMAKE_MAKE_PROGRAM="$(command -v make)" \
		-DCMAKE_FIND_ROOT_PATH_MODE_PROGRAM=NEVER \
		"-DCMAKE_CROSSCOMPILING_EMULATOR=qemu-aarch64-static;-L;$dir" || return
	run_tests build-arm64 arm64
}
