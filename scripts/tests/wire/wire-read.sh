#!/bin/sh
# SPDX-License-Identifier: MIT
# wire-read.sh RDMASH ALL_PACKETS DATA: wire read agrees with tshark, over the captures of DATA
# and one of all opcodes and messages. A file that is no capture is refused.
set -u
rdmash=$1 all_packets=$2 data=$3
here=$(cd "$(dirname "$0")" && pwd)
command -v tshark >/dev/null || { echo "skipped: no tshark"; exit 77; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
failures=0
export ASAN_OPTIONS="exitcode=99:${ASAN_OPTIONS-}" # not the status of a command that failed

"$all_packets" "$dir/all.pcapng" 7 || exit 1
python3 "$here/wire-read.py" "$rdmash" "$dir/all.pcapng" "$data"/*.pcap || failures=1

# refused FILE WORD
refused() {
	"$rdmash" -X -c "wire read {$1}" >"$dir/out" 2>&1 && { echo "not ok: $1 is read"; failures=1; }
	grep -q "$2" "$dir/out" || { echo "not ok: $1: $(cat "$dir/out")"; failures=1; }
}
refused "$dir/none" 'No such file'
refused "$dir" 'directory'
: >"$dir/empty"
refused "$dir/empty" 'not a capture file'
head -c 1000 /dev/urandom >"$dir/noise"
refused "$dir/noise" 'not a capture file'
head -c 5001 "$dir/all.pcapng" >"$dir/cut"
refused "$dir/cut" 'after packet'
# a library that cannot be loaded is said to be one
mkdir "$dir/lib"
echo 'no library' | tee "$dir/lib/libpcap.so.0.8" >"$dir/lib/libpcap.so.1"
LD_LIBRARY_PATH=$dir/lib "$rdmash" -X -c "wire read $dir/all.pcapng" >"$dir/out" 2>&1
grep -q 'libpcap cannot be loaded' "$dir/out" || { echo "not ok: $(cat "$dir/out")"; failures=1; }
# every byte wrong in turn of the beginning: read or refused, never worse
i=24
while [ $i -lt 400 ]; do
	cp "$dir/all.pcapng" "$dir/bent"
	printf '\377' | dd of="$dir/bent" bs=1 seek=$i conv=notrunc 2>/dev/null
	"$rdmash" -X -c "wire read $dir/bent -n 20 -fields" >/dev/null 2>&1
	[ $? -le 1 ] || { echo "not ok: byte $i"; failures=1; }
	i=$((i + 7))
done
echo 'wire read ../all.pcapng' >"$dir/away.rdma"
mkdir "$dir/script" && mv "$dir/away.rdma" "$dir/script"
"$rdmash" -X -f "$dir/script/away.rdma" >/dev/null 2>&1 && { echo "not ok: out of its directory"; failures=1; }
exit $failures
