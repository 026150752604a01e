# shellcheck shell=bash
# SPDX-License-Identifier: MIT
#
# "A && B || die" is intended, and the variables are shared with rxe-lab.
# shellcheck disable=SC2015,SC2034,SC2154
#
# siw, soft-iWARP.  It is disabled in Debian's kernels, so it is built for the
# kernel of the cache from the distribution's own source package.

# siw_ready: makes sure that there is a siw for the kernel; sets siw_module, the
# file to load (empty if the kernel has its own)
siw_ready() {
	local version
	version=$(< "$build/version")
	siw_module=
	[ -e "$build/has-siw" ] && return
	siw_module=$cache/siw/$version/siw.ko
	[ -e "$siw_module" ] || in_background build-siw
}

build_siw() {
	local version series headers source
	lock_cache
	find_build
	version=$(< "$build/version")
	[ -e "$cache/siw/$version/siw.ko" ] && return
	series=$(cut -d. -f1,2 <<< "$version")	# 6.1 of 6.1.0-56-amd64
	need make apt-get apt-cache dpkg-deb strip
	apt_options=()
	[ "$(id -u)" != 0 ] || apt_options=(-o APT::Sandbox::User=root)

	kernel_headers
	# Debian's headers name the compiler that built the kernel
	need "$(sed -n 's/^.*CC *:\?= .*CROSS_COMPILE)\(gcc-[0-9]*\).*/\1/p' "$headers/.kernelvariables" 2> /dev/null |
		grep . || echo gcc)"
	siw_source
	"${dying[@]}" make -s -C "$headers" M="$work/siw" CONFIG_RDMA_SIW=m -j"$(nproc)" modules >&2 ||
		unable "siw cannot be built for the kernel $version"
	mkdir -p "$cache/siw/$version" "$work/done"
	strip --strip-debug -o "$work/done/siw.ko" "$work/siw/siw.ko" &&
		mv "$work/done/siw.ko" "$cache/siw/$version/" || die "cannot write to $cache"
	say "siw for $version is ready"
}

# sets headers: the directory for building modules of this kernel
kernel_headers() {
	local name
	headers=/lib/modules/$version/build
	[ -e "$headers/Makefile" ] && return
	headers=$work/headers/usr/src/linux-headers-$version
	for name in "linux-headers-$version" "linux-headers-${version%-*}-common" "linux-kbuild-$series"; do
		fetch "$name" || unable "no siw: apt-get cannot download $name"
		dpkg-deb -x "$package" "$work/headers" || die "cannot unpack $package"
	done
	# the packages expect to be in /usr/src and /usr/lib
	sed -i "s,include /usr/src,include $work/headers/usr/src," "$headers/Makefile"
}

# unpacks the directory of siw from the kernel's source to $work/siw
siw_source() {
	local tar=usr/src/linux-source-$series.tar.xz
	source=/$tar
	if [ ! -e "$source" ]; then
		fetch "linux-source-$series" || unable "no siw: apt-get cannot download linux-source-$series"
		dpkg-deb --fsys-tarfile "$package" | tar -x -C "$work" "./$tar" || die "cannot unpack $package"
		source=$work/$tar
	fi
	mkdir "$work/siw"
	tar -xJf "$source" --strip-components=5 -C "$work/siw" --wildcards '*/drivers/infiniband/sw/siw' ||
		unable "no siw in $source"
}

# fetch NAME: downloads it, with package lists of our own if necessary
fetch() {
	download "$1" || { private_lists && download "$1"; }
}
