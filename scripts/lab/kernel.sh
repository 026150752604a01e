# shellcheck shell=bash
# SPDX-License-Identifier: MIT
#
# "A && B || die" is intended, and the variables are shared with rxe-lab.
# shellcheck disable=SC2015,SC2034,SC2154
#
# The kernel of the machine: a stock one, installed on this host or unpacked
# from its package, as vmlinux and initrd in the cache:
#
#	$cache/build/KEY/	vmlinux initrd config version; KEY is a hash of all
#				inputs, so that two versions of the lab can share a
#				cache
#	$cache/deb/		downloaded packages
#	$cache/siw/VERSION/	siw.ko, if it had to be built
#	$cache/apt/		package lists of our own, if the system's are missing or too old

# Modules that must exist (or be built in), and modules that may be missing.
required_modules='virtio_mmio virtio_net virtio_console 9pnet_virtio 9p overlay
	rdma_rxe rdma_ucm ib_uverbs'
optional_modules='virtio_pci crc32_generic crc32c_generic libcrc32c ib_umad veth dummy
	sch_netem sch_tbf siw rds_rdma'

# the parts of a kernel package that are unpacked
kernel_files=(
	'./boot/vmlinuz-*' './boot/config-*' '*/modules.*'
	'*/kernel/arch/*/crypto/*' '*/kernel/crypto/*' '*/kernel/lib/*'
	'*/kernel/drivers/block/virtio*' '*/kernel/drivers/char/virtio*'
	'*/kernel/drivers/infiniband/*' '*/kernel/drivers/net/*.ko*' '*/kernel/drivers/virtio/*'
	'*/kernel/fs/9p/*' '*/kernel/fs/configfs/*' '*/kernel/fs/fscache/*' '*/kernel/fs/netfs/*'
	'*/kernel/fs/overlayfs/*' '*/kernel/net/*'
)

# sets build: the directory of vmlinux and initrd, which may not exist yet
find_build() {
	local key
	key=$({
		cat "$lab/kernel.sh" "$lab/init" "$lab/lab-wait"
		echo "$arch ${RXE_LAB_KERNEL_DEB-}"
		# shellcheck disable=SC2086	# a list
		[ -z "${RXE_LAB_KERNEL_DEB-}" ] || stat -c '%Y %s' -- $RXE_LAB_KERNEL_DEB
	} | sha256sum)
	build=$cache/build/${key::16}
}

# kernel_ready [again]: makes sure that the cache has a kernel and an initrd.
# Another process does the work, so that a signal need not wait for its end.
kernel_ready() {
	find_build
	if [ "${1-}" != again ] && [ -e "$build/initrd" ]; then
		touch -c "$build" 2> /dev/null
		return
	fi
	in_background build-kernel "$@"
}

# lock_cache: waits until this is the only writer; sets work, a temporary directory
lock_cache() {
	mkdir -p "$cache/build" "$cache/deb" 2> /dev/null && [ -w "$cache" ] ||
		unable "cannot write to $cache: set RXE_LAB_CACHE"
	exec 8> "$cache/lock"
	flock 8
	rm -rf "$cache"/tmp.*		# left by processes that were killed
	work=$(mktemp -d "$cache/tmp.XXXXXX") || die "cannot write to $cache"
	trap 'rm -rf "$work"' EXIT
}

# build_kernel [again]: fills $build; with again also if it exists
build_kernel() {
	lock_cache
	find_build
	[ "${1-}" != again ] && [ -e "$build/initrd" ] && return	# somebody else did it
	if [ -n "${RXE_LAB_KERNEL_DEB-}" ] || ! installed_kernel; then
		packaged_kernel
	fi
	say "kernel $version from $source"
	mkdir "$work/new"
	initrd_tree "$work/tree"
	(cd "$work/tree" && find . | LC_ALL=C sort | busybox cpio -o -H newc 2> /dev/null) \
		> "$work/new/initrd" || die "cannot make the initrd"
	uncompress_kernel "$image" "$work/new/vmlinux"
	echo "$version" > "$work/new/version"
	cp "$kernel_root/boot/config-$version" "$work/new/config" 2> /dev/null
	! module_files siw > /dev/null || : > "$work/new/has-siw"
	chmod 755 "$work/new"
	[ ! -e "$build" ] || mv "$build" "$work/old"
	mv -T "$work/new" "$build" || die "cannot write to $cache"
	# remove builds that have not been used for a week
	find "$cache/build" -mindepth 1 -maxdepth 1 -mtime +7 -exec rm -rf {} +
	say "ready: $build"
}

# ------------------------------------------------------------- which kernel --
# installed_kernel and packaged_kernel set version, image (the bzImage or
# Image), kernel_root (the directory of boot and lib/modules) and source, for
# messages.

# finds the newest kernel of this host that is readable and has all the modules
installed_kernel() {
	local module
	kernel_root=/ source=/boot
	while read -r image; do
		version=${image##*/vmlinuz-}
		[ -r "$image" ] && [ -d "/lib/modules/$version" ] || continue
		for module in $required_modules; do
			module_files "$module" > /dev/null || continue 2
		done
		return 0
	done < <(printf '%s\n' /boot/vmlinuz-* | sort -Vr)
	return 1
}

packaged_kernel() {
	local package module
	kernel_packages
	source="${packages[*]##*/}"
	kernel_root=$work/kernel
	mkdir "$kernel_root"
	for package in "${packages[@]}"; do
		# tar prints an error for every pattern without a match
		dpkg-deb --fsys-tarfile "$package" |
			tar -x -C "$kernel_root" --wildcards "${kernel_files[@]}" 2> /dev/null
	done
	image=$(printf '%s\n' "$kernel_root"/boot/vmlinuz-* | sort -V | tail -n 1)
	version=${image##*/vmlinuz-}
	# packages have lib/modules or usr/lib/modules, and modprobe may look at either
	[ -d "$kernel_root/lib" ] || mv "$kernel_root/usr/lib" "$kernel_root/lib" 2> /dev/null
	mkdir -p "$kernel_root/usr"
	[ -e "$kernel_root/usr/lib" ] || ln -s ../lib "$kernel_root/usr/lib"
	[ -r "$image" ] && [ -d "$kernel_root/lib/modules/$version" ] ||
		unable "no kernel with its modules in $source"
	depmod -b "$kernel_root" "$version" 2> /dev/null
	for module in $required_modules; do
		module_files "$module" > /dev/null || unable "the kernel $version has no module $module"
	done
}

# module_files MODULE: prints the files to load for it, in order; none if it is built in
module_files() {
	local list
	list=$(modprobe -C /dev/null -d "$kernel_root" -S "$version" --show-depends "$1" 2> /dev/null) ||
		return
	sed -n 's/^insmod \([^ ]*\).*/\1/p' <<< "$list"
}

# ------------------------------------------------------------ kernel packages --

# sets packages[]: the files of a kernel's packages
kernel_packages() {
	local names=() name
	if [ -n "${RXE_LAB_KERNEL_DEB-}" ]; then
		read -ra packages <<< "$RXE_LAB_KERNEL_DEB"
		for name in "${packages[@]}"; do
			[ -r "$name" ] || unable "RXE_LAB_KERNEL_DEB: cannot read $name"
		done
		return
	fi
	need apt-get apt-cache dpkg-deb
	apt_options=()
	[ "$(id -u)" != 0 ] || apt_options=(-o APT::Sandbox::User=root)
	if ! download_kernel; then
		private_lists && download_kernel || cached_kernel ||
			unable "no kernel package: apt-get can download neither linux-image-$debarch nor" \
				"linux-image-generic; give its files in RXE_LAB_KERNEL_DEB"
	fi
}

# The newest kernel of this distribution.  Debian's is in one package; Ubuntu's
# is in several, RDMA among linux-modules-extra.
download_kernel() {
	local meta image_package version name
	for meta in "linux-image-$debarch" linux-image-generic; do
		image_package=$(apt-cache "${apt_options[@]}" depends --no-recommends --no-suggests "$meta" 2> /dev/null |
			awk '$1 == "Depends:" && $2 ~ /^linux-image-[0-9]/ {print $2; exit}')
		[ -z "$image_package" ] || break
	done
	[ -n "$image_package" ] || return
	version=${image_package#linux-image-}
	names=("$image_package")
	for name in "linux-binary-$version" "linux-modules-$version" "linux-modules-extra-$version"; do
		apt-cache "${apt_options[@]}" show "$name" > /dev/null 2>&1 && names+=("$name")
	done
	packages=()
	for name in "${names[@]}"; do
		download "$name" || return
		packages+=("$package")
	done
}

# download NAME: sets package, its file in the cache
download() {
	local new=$work/download
	package=$(cached_package "$1") && return
	mkdir -p "$new"
	(cd "$new" && "${dying[@]}" apt-get "${apt_options[@]}" -qq download "$1" >&2) || return
	mv "$new"/*.deb "$cache/deb/" || return
	package=$(cached_package "$1")
}

cached_package() {	# NAME
	local file
	file=$(printf '%s\n' "$cache/deb/$1"_*.deb | sort -V | tail -n 1)
	[ -e "$file" ] && echo "$file"
}

# Uses packages that were downloaded earlier, if there is nothing to download from.
cached_kernel() {
	local image version file
	image=$(printf '%s\n' "$cache"/deb/linux-image-[0-9]*.deb | sort -V | tail -n 1)
	[ -e "$image" ] || return
	version=${image##*/linux-image-}
	version=${version%%_*}
	packages=("$image")
	for file in "$cache/deb"/linux-{binary,modules,modules-extra}-"$version"_*.deb; do
		[ ! -e "$file" ] || packages+=("$file")
	done
}

# Makes our own package lists, because those of the system are missing or older
# than the mirror's, and only root may update them.
private_lists() {
	say "making package lists of our own in $cache/apt"
	mkdir -p "$cache/apt/lists/partial" "$cache/apt/cache/archives/partial" || return
	apt_options+=(-o "Dir::State=$cache/apt" -o "Dir::State::lists=$cache/apt/lists"
		-o "Dir::Cache=$cache/apt/cache" -o Dir::State::status=/var/lib/dpkg/status)
	"${dying[@]}" apt-get "${apt_options[@]}" -qq update >&2
}

# ------------------------------------------------------------ vmlinux, initrd --

# The file system of the initramfs: busybox, init and the modules.
initrd_tree() {	# DIR
	local modules=$1/lib/modules/$version module file name
	mkdir -p "$1"/{bin,proc,sys,dev,l,u,r,usr} "$modules"
	ln -s ../lib "$1/usr/lib"
	for module in $required_modules $optional_modules; do
		while read -r file; do
			name=${file##*/}
			name=${name%.ko*}.ko
			[ -e "$modules/$name" ] || decompress "$file" > "$modules/$name" ||
				die "cannot unpack $file"
		done < <(module_files "$module")
	done
	# they load faster without signatures and debug data
	strip --strip-debug "$modules"/*.ko || die "cannot strip the modules"
	cp "$kernel_root/lib/modules/$version"/modules.builtin* "$modules/"
	depmod -b "$1" "$version" 2> /dev/null || die "depmod failed"
	cp "$(command -v busybox)" "$1/bin/busybox" &&
		cp "$lab/init" "$1/init" && cp "$lab/lab-wait" "$1/lab-wait" &&
		chmod 755 "$1/init" "$1/lab-wait" || die "cannot write to $cache"
}

decompress() {	# FILE: by its suffix
	case $1 in
	*.xz) xz -dc "$1" ;;
	*.zst)
		need zstd
		zstd -dcq "$1" ;;
	*.gz) gzip -dc "$1" ;;
	*) cat "$1" ;;
	esac
}

# Unpacks the vmlinux of a bzImage; QEMU starts it at its PVH entry.  A bzImage
# would also start, but it unpacks itself inside the machine, which takes longer
# than the rest of the boot.  Other images are copied as they are.
uncompress_kernel() {	# BZIMAGE VMLINUX
	local setup_sectors payload length start magic tool
	if [ "$(bytes "$1" 514 4 c)" = HdrS ]; then
		setup_sectors=$(bytes "$1" 0x1f1 1 u1)
		payload=$(bytes "$1" 0x248 4 u4)
		length=$(($(bytes "$1" 0x24c 4 u4) - 4))	# after it, the unpacked size
		start=$(((setup_sectors + 1) * 512 + payload))
		magic=$(bytes "$1" $start 4 x1)
		case $magic in
		fd377a58) tool='xz -dc' ;;
		28b52ffd) tool='zstd -dcq' ;;
		02214c18) tool='lz4 -dc' ;;
		1f8b*) tool='gzip -dc' ;;
		*) tool=false ;;
		esac
		[ "$tool" = false ] || need "${tool%% *}"
		head -c $((start + length)) "$1" | tail -c "$length" | $tool > "$2" && return
	fi
	cp "$1" "$2" || die "cannot write to $cache"
}

bytes() {	# FILE OFFSET COUNT FORMAT(of od)
	od -An -v -t"$4" -j"$(($2))" -N"$3" "$1" | tr -d ' \n'
}
