#!/bin/bash
# SPDX-License-Identifier: MIT
# squat.sh UROCE RDMASH: another user binds sockets of the same names in a directory of his own, some behind a
# newline, and holds the port under a name that would control a terminal: processes are found all the same, and
# nothing but text is printed.
set -u
uroce=$1 rdmash=$2
[ "$(id -u)" = 0 ] || { echo 'only root can be another user: skipped'; exit 77; }
[ "${inside-}" ] || { inside=1 exec unshare --net bash "$0" "$@"; }
ip link set lo up
tmp=$(mktemp -d)
trap 'kill $jobs 2>/dev/null; rm -rf "$tmp"' EXIT
jobs=
failed=0
check() { # WHAT COMMAND...
	if "${@:2}"; then echo "ok - $1"; else echo "not ok - $1"; failed=1; fi
}
mkfifo "$tmp/ready"

stranger() { # PYTHON: as another user; says on the fifo when it is ready, and stays
	setpriv --reuid 1002 --regid 1002 --clear-groups /usr/bin/python3 -c "$1" 3>"$tmp/ready" &
	jobs="$jobs $!"
	read -r _ <"$tmp/ready"
}

stranger '
import os, socket, tempfile, signal
home = tempfile.mkdtemp(); sockets = []
network = os.stat("/proc/self/ns/net").st_ino
for i in range(200): # the kernel lists sockets in no order
    os.mkdir("%s/%d" % (home, i))
    between = "" if i % 2 else "\n0: 00000002 0 0 2 1 99 /"
    if between: os.mkdir("%s/%d/%s" % (home, i, between[:-1]))
    s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    s.bind("%s/%d/%s%d.slot3.1" % (home, i, between, network))
    sockets.append(s)
os.write(3, b"ready\n"); os.close(3)
signal.pause()'

"$uroce" python3 - >"$tmp/pid" <<'E2' &
import ctypes, os, signal
v = ctypes.CDLL("libibverbs.so.1"); v.ibv_get_device_list.restype = ctypes.POINTER(ctypes.c_void_p)
v.ibv_open_device.restype = ctypes.c_void_p; v.ibv_open_device.argtypes = [ctypes.c_void_p]
assert v.ibv_open_device(v.ibv_get_device_list(None)[0])
os.write(1, b"%d\n" % os.getpid())
signal.pause()
E2
jobs="$jobs $!"
until [ -s "$tmp/pid" ]; do sleep 0.05; done
pid=$(cat "$tmp/pid")
"$rdmash" -c "show -process $pid" >"$tmp/shown" 2>&1
check 'show -process finds the process' grep -q "^process $pid " "$tmp/shown"
kill -STOP "$pid"
"$uroce" status >"$tmp/status" 2>&1
check 'status names one that is stopped' grep -q "pid $pid  does not answer" "$tmp/status"
kill -CONT "$pid"
kill "$pid"
wait "$pid" 2>/dev/null

stranger '
import ctypes, os, signal, socket
ctypes.CDLL(None).prctl(15, b"\x1b[31mred\x9b2J", 0, 0, 0)
s = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM); s.bind(("::", 4791))
os.write(3, b"ready\n"); os.close(3)
signal.pause()'
"$uroce" ibv_devinfo >"$tmp/devinfo" 2>&1
check 'who has the port is said' grep -q 'red' "$tmp/devinfo"
check 'with what would control the terminal escaped' grep -qF 'x1b[31mred' "$tmp/devinfo"
"$rdmash" -c doctor >"$tmp/doctor" 2>&1
"$uroce" status >"$tmp/status2" 2>&1
for file in devinfo doctor status2; do
	# shellcheck disable=SC2016  # for that shell
	check "$file: no control characters" sh -c '! LC_ALL=C grep -q "[^[:print:][:space:]]" "$1"' sh <(tr -d '\302\267\342\200\246' <"$tmp/$file")
done
[ "$failed" = 0 ] || cat "$tmp"/shown "$tmp"/status "$tmp/devinfo" | cat -v
exit $failed
