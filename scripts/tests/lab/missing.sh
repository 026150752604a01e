#!/bin/bash
# SPDX-License-Identifier: MIT
#
# A missing program is reported with the name of its package; `check' then ends
# with 77.  No machine is started.

# shellcheck source-path=SCRIPTDIR source=lib.sh disable=SC2016
. "$(dirname "$0")/lib.sh"

# Programs in $tmp/bin: all that are here but those named.  They are links, so
# that nothing may be written there but by fake, which never follows one.
without() {
	local dir file
	rm -rf "${tmp:?}/bin"
	mkdir "$tmp/bin"
	for dir in /usr/bin /bin /usr/sbin /sbin; do
		for file in "$dir"/*; do
			[ -e "$tmp/bin/${file##*/}" ] || echo "$file"
		done | xargs -d '\n' ln -s -t "$tmp/bin" 2> /dev/null
	done
	for file; do rm -f "$tmp/bin/$file"; done
}

fake() {	# PROGRAM TEXT
	printf '#!/bin/sh\n%s\n' "$2" > "$tmp/fake"
	chmod 755 "$tmp/fake"
	mv -fT "$tmp/fake" "$tmp/bin/$1"	# in place of the link, never through it
}

check() {
	env -i HOME="$tmp" TMPDIR="$tmp" PATH="$tmp/bin" RXE_LAB_CACHE="$tmp/cache" "$@" \
		bash "$lab" check > "$tmp/out" 2>&1
}

arch=$(uname -m)
case $arch in
x86_64) qemu=qemu-system-x86_64 package=qemu-system-x86 ;;
aarch64) qemu=qemu-system-aarch64 package=qemu-system-arm ;;
*) skip "no recipe for $arch" ;;
esac

without "$qemu"
check
equal 'no QEMU: status' $? 77
has 'no QEMU: its package' "$tmp/out" "missing: $package \($qemu\); apt-get install $package\$"

without "$qemu" busybox setpriv
check
equal 'several: status' $? 77
has 'several: their packages' "$tmp/out" \
	"missing: $package .*busybox-static .*util-linux .*; apt-get install $package busybox-static util-linux\$"
PATH=$tmp/bin RXE_LAB_CACHE=$tmp/cache bash "$lab" run true > "$tmp/out" 2>&1
equal 'run: status' $? 125

# a busybox with shared libraries, such as any program here
without
fake "$qemu" true
cp --remove-destination /bin/bash "$tmp/bin/busybox"
check
equal 'a busybox with shared libraries: status' $? 77
has 'a busybox with shared libraries' "$tmp/out" 'apt-get install .*busybox-static'

# another processor
without
fake uname 'echo riscv64'
check
equal 'another processor: status' $? 77
has 'another processor' "$tmp/out" 'no recipe for a riscv64 host'

# a host without memory
without
fake "$qemu" true
fake awk 'case $1 in *MemAvailable*) echo 300 ;; esac'
check
equal 'not enough memory: status' $? 77
has 'not enough memory' "$tmp/out" 'not enough memory: 300 MiB available, 1024 MiB needed'

# no kernel is available
if "$lab" check > /dev/null 2>&1; then
	without apt-get apt-cache
	check RXE_LAB_KERNEL_DEB="$tmp/no.deb"
	equal 'no kernel: status' $? 77
	has 'no kernel' "$tmp/out" "cannot read $tmp/no.deb"
	touch "$tmp/not-a-directory"
	check RXE_LAB_CACHE="$tmp/not-a-directory"
	equal 'no cache: status' $? 77
	has 'no cache' "$tmp/out" 'set RXE_LAB_CACHE'
fi

ok '--version' grep -Eq '^rxe-lab [0-9]' <("$lab" --version)
ok '--help' grep -q 'rxe-lab bridge' <("$lab" --help)
finish
