# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Sourced by scripts/demo and scripts/test: what the machine must have, and the build.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

# Debian's and Ubuntu's names.
packages_build="gcc make cmake pkg-config libc6-dev libibverbs-dev librdmacm-dev libedit-dev
	tcl8.6-dev libjson-c-dev"
packages_lab="qemu-system-x86 busybox-static kmod iproute2 xz-utils zstd binutils
	ibverbs-providers rdma-core"
packages_test="clang tmux man-db shellcheck rdmacm-utils ibverbs-utils perftest tcpdump tshark
	dpkg-dev file"

as_root() {
	if [ "$(id -u)" = 0 ]; then
		"$@"
	elif command -v sudo >/dev/null; then
		sudo "$@"
	else
		echo "need root (or sudo) for: $*" >&2
		return 1
	fi
}

installed() {
	[ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

# need PACKAGE...: installs what is missing, and says so
need() {
	local p missing=()
	for p in "$@"; do
		installed "$p" || missing+=("$p")
	done
	[ "${#missing[@]}" -gt 0 ] || return 0
	command -v apt-get >/dev/null ||
		{ echo "no apt-get here; these packages are missing: ${missing[*]}" >&2; return 1; }
	echo "installing with apt-get: ${missing[*]}"
	as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq update &&
		as_root env DEBIAN_FRONTEND=noninteractive \
			apt-get -qq install -y --no-install-recommends "${missing[@]}" >/dev/null
}

# build DIR [CMAKE-OPTION...]: configures and builds the tree in DIR
build() {
	local dir=$1
	shift
	cmake -S "$root" -B "$dir" "$@" >"$dir.log" 2>&1 &&
		cmake --build "$dir" --parallel "$(nproc)" >>"$dir.log" 2>&1 ||
		{ cat "$dir.log" >&2; echo "the build in $dir failed" >&2; return 1; }
}
