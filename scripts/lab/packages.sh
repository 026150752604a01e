# shellcheck shell=bash
# SPDX-License-Identifier: MIT
#
# "A && B || die" is intended, and the variables are shared with rxe-lab.
# shellcheck disable=SC2015,SC2034,SC2154
#
# Programs that the lab needs on its host, and the names of Debian's packages that have them.

declare -A package_of=(
	[qemu-system-x86_64]=qemu-system-x86 [qemu-system-aarch64]=qemu-system-arm
	[busybox]=busybox-static [modprobe]=kmod [depmod]=kmod
	[ip]=iproute2 [tc]=iproute2 [rdma]=iproute2 [awk]=mawk [sed]=sed [tar]=tar [grep]=grep
	[setpriv]=util-linux [unshare]=util-linux [nsenter]=util-linux [flock]=util-linux
	[xz]=xz-utils [zstd]=zstd [lz4]=lz4 [gzip]=gzip [strip]=binutils
	[dpkg-deb]=dpkg [apt-get]=apt [apt-cache]=apt [make]=make
)

# need PROGRAM...: exits unless all of them are installed
need() {
	local program package list='' install=''
	for program; do
		package=${package_of[${program##*/}]-${program##*/}}
		if [ "$program" = busybox ]; then
			static_busybox && continue
			list+=", $package (a busybox without shared libraries)"
		else
			command -v "$program" > /dev/null && continue
			list+=", $package (${program##*/})"
		fi
		case " $install " in *" $package "*) ;; *) install+=" $package" ;; esac
	done
	[ -z "$list" ] || unable "missing: ${list#, }; apt-get install$install"
}

# the machine starts with busybox alone, without shared libraries
static_busybox() {
	local busybox
	busybox=$(command -v busybox) && ! LC_ALL=C grep -qa '/ld-linux[-a-z0-9_.]*\.so\.' "$busybox"
}

need_machine() {
	need "$qemu" busybox modprobe depmod ip rdma awk sed grep tar setpriv flock xz strip
}

# -netdev dgram
need_datagrams() {
	local version
	version=$("$qemu" --version | sed -n 's/^QEMU emulator version \([0-9]*\.[0-9]*\).*/\1/p')
	printf '7.2\n%s\n' "$version" | sort -CV ||
		unable "two machines need QEMU 7.2 or later, this is $version ($qemu)"
}

need_memory() {	# MIB
	local available
	available=$(awk '$1 == "MemAvailable:" {print int($2 / 1024)}' /proc/meminfo)
	[ "${available:-0}" -ge "$1" ] ||
		unable "not enough memory: ${available:-?} MiB available, $1 MiB needed"
}

# sets namespaces[]: the command that runs another one in its own network
# namespace, with its own process numbers, so that all processes in there end
# together.
need_namespaces() {
	need unshare nsenter ip tc
	[ -r /dev/net/tun ] && [ -w /dev/net/tun ] ||
		unable "/dev/net/tun cannot be opened: modprobe tun"
	user_namespace=()
	[ "$(id -u)" = 0 ] || user_namespace=(--user --map-root-user)
	numbers=(--pid --fork --kill-child --mount-proc)
	namespaces=(unshare "${user_namespace[@]}" --net "${numbers[@]}" --)
	"${namespaces[@]}" true 2> /dev/null && return
	numbers=(--pid --fork --kill-child)
	namespaces=(unshare "${user_namespace[@]}" --net "${numbers[@]}" --)
	"${namespaces[@]}" true 2> /dev/null ||
		unable "no network namespace is available: $("${namespaces[@]}" true 2>&1)"
}

# namespaces_of PID: sets namespaces[]: the network of that process, with new process numbers
namespaces_of() {
	local user=()
	[ "$(id -u)" = 0 ] || user=(--user --preserve-credentials)
	namespaces=(nsenter --target "$1" "${user[@]}" --net -- unshare "${numbers[@]}" --)
}
