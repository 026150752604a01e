# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2034,SC2154 # scripts/test reads and sets variables
what[container]='Containerfile, on trees of Debian 12 and 13 as images: built with podman, and an example run
	in a container of each'

# podman run, with options for machines on which crun refuses it: those with both versions of cgroups,
# and those on which not even root may raise the limits that podman asks for.
run_image() {
	# shellcheck disable=SC2016  # for the shell of the mount namespace
	as_root unshare --mount sh -c 'umount /sys/fs/cgroup/unified 2>/dev/null; exec "$@"' sh \
		"${podman[@]}" run --rm --cgroups disabled --ulimit nofile=1024:1024 \
		--ulimit nproc=1024:1024 "$@"
}

step_container() {
	local release image podman=(podman --root "$state/images" --runroot "$state/run")
	need debootstrap podman || return
	for release in bookworm trixie; do
		image=localhost/rdmash-$release
		tree "$trees/bare-$release" "$release" || { fail "$release: no tree"; continue; }
		copy_sources "$state/source"
		{
			as_root tar -C "$trees/bare-$release" -c . |
				as_root "${podman[@]}" import - "$image-base" &&
				as_root "${podman[@]}" build --isolation chroot --network host \
					--build-arg "BASE=$image-base" -t "$image" "$state/source" &&
				run_image "$image" -q /usr/share/rdmash/examples/write-read.rdma
		} >"$state/container.log" 2>&1 ||
			{ tail -n 20 "$state/container.log"; fail "$release: container"; }
		as_root "${podman[@]}" rmi --all --force >/dev/null
	done
	as_root rm -rf "$state/images" "$state/run" "$state/source"
}
