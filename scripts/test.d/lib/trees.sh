# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Root file systems and headers of other releases and architectures are below this directory.
trees=${XDG_CACHE_HOME:-$HOME/.cache}/rdmash-trees

# the mirror of Debian that apt uses here
debian_mirror() {
	local mirror
	# shellcheck disable=SC2016  # apt's variables
	mirror=$(apt-get indextargets --format '$(ORIGIN) $(REPO_URI) $(CODENAME)' \
		'Created-By: Packages' 'Component: main' |
		awk '$1 == "Debian" && $3 !~ /-/ { print $2; exit }')
	echo "${mirror:-apt has no mirror of Debian here}"
	[ -n "$mirror" ]
}

# tree DIR RELEASE OPTION...: debootstrap's, from the mirror that apt uses here
tree() {
	local dir=$1 release=$2 mirror
	shift 2
	[ ! -e "$dir/complete" ] || return 0
	mirror=$(debian_mirror) || { echo "$mirror"; return 1; }
	mkdir -p "$trees"
	as_root rm -rf "$dir"
	as_root debootstrap --variant=minbase "$@" "$release" "$dir" "$mirror" >"$dir.log" 2>&1 ||
		{ tail -n 5 "$dir.log"; return 1; }
	as_root touch "$dir/complete"
}

# inside TREE COMMAND...: as root of the tree, with mounts and processes of its own
inside() {
	# shellcheck disable=SC2016  # for that shell
	as_root unshare --mount --pid --fork --kill-child sh -c 'tree=$1 && shift &&
		mount --make-rprivate / && mount --bind "$tree" "$tree" && mount -t proc proc "$tree/proc" &&
		mount --rbind /sys "$tree/sys" && mount --rbind /dev "$tree/dev" &&
		cp /etc/resolv.conf "$tree/etc/" &&
		exec chroot "$tree" env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin \
			LC_ALL=C.UTF-8 "$@"' inside "$@"
}

# copy_sources FOLDER: copies the files that git knows into a new folder
copy_sources() {
	as_root rm -rf "$1"
	as_root mkdir -p "$1"
	git ls-files -z | tar --null --files-from=- -c | as_root tar -x -C "$1"
}
