#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The lab of a plain user, with a cache of his own: the kernel is found or downloaded,
# and run, pair and bridge work.

# shellcheck source-path=SCRIPTDIR source=lib.sh disable=SC2016
. "$(dirname "$0")/lib.sh"
can_run pair
[ "$(id -u)" = 0 ] || skip 'only root can become another user (as another user, the other tests show it)'
setpriv --reuid=65534 --regid=65534 --clear-groups test -r "$lab" -a -x "$scripts" ||
	skip "a plain user cannot read $scripts"

mkdir "$tmp/user"
chown 65534:65534 "$tmp/user"
chmod 755 "$tmp"
# the package of the kernel, if there is one, need not be downloaded again
cache=${RXE_LAB_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/rxe-lab}
if [ -d "$cache/deb" ] && [ -z "${LAB_TEST_DOWNLOAD-}" ]; then
	mkdir "$tmp/user/cache"
	cp -r "$cache/deb" "$tmp/user/cache/"
	chown -R 65534:65534 "$tmp/user/cache"
fi
user() {
	(cd "$tmp/user" && setpriv --reuid=65534 --regid=65534 --clear-groups --no-new-privs \
		env HOME="$tmp/user" TMPDIR="$tmp/user" RXE_LAB_CACHE="$tmp/user/cache" "$lab" "$@")
}

user check > "$tmp/out" 2>&1
equal 'check, with an empty cache' $? 0
sed 's/^/    /' "$tmp/out"
equal 'the cache is the user'"'"'s' "$(stat -c %u "$tmp/user/cache/build")" 65534
user run 'rdma link; cat /etc/shadow; exit 9' > "$tmp/out" 2>&1
equal 'run' $? 9
has 'a device' "$tmp/out" 'link rxe1/1 state ACTIVE'
has 'what the user may not read' "$tmp/out" 'shadow: '
user pair 'nc() { busybox nc "$@"; }; nc -l -p 5000' 'echo hello | busybox nc 10.0.0.1 5000' > "$tmp/out" 2>&1
equal 'pair' $? 0
has 'pair: over the segment' "$tmp/out" '^h1: hello'
if reason=$(user check bridge 2>&1); then
	user bridge 'lab-wait up1; busybox ping -c 1 10.0.0.1; s=$?; touch $LAB_DIR/done; exit $s' 'lab-wait done' > "$tmp/out" 2>&1
	equal 'bridge' $? 0
	has 'bridge: ping' "$tmp/out" '^ns: 1 packets transmitted, 1 packets received'
else
	echo "not checked: bridge: $reason"
fi
equal 'no directory is left' "$(find "$tmp/user" -maxdepth 1 -name 'rxe-lab.*')" ''
nothing_left 'after all of them'
finish
