#!/bin/bash
# SPDX-License-Identifier: MIT
#
# several_devices.sh UROCE PROGRAM RDMASH: several devices in a process, each on interfaces of its own,
# as programs see them; of several paths one goes down, and the others go on.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh" "$@"
program=$2 rdmash=$3
need ibv_devices ibv_devinfo rping ip
ip link add v0 type veth peer name v1 2>/dev/null || { echo 'no veth here: skipped'; exit 77; }
for end in v0 v1; do
	ip link set "$end" addrgenmode none up || exit 1
done
ip addr add 10.0.0.1/24 dev v0 || exit 1
export UROCE_DEVICES=uroce0:lo,uroce1:v0

for path in memory udp; do
	ok "one process, through $path" env UROCE_PATH="$path" "$uroce" "$program"
done

names() { "$uroce" ibv_devices | awk '/uroce/ { print $1 }' | paste -sd,; }
ok 'ibv_devices' [ "$(names)" = uroce0,uroce1 ]
info() { "$uroce" ibv_devinfo -v -d "$1" | grep "GID" | grep -q "$2"; }
ok 'ibv_devinfo uroce0' info uroce0 127.0.0.1
ok 'ibv_devinfo uroce1' info uroce1 10.0.0.1
not_info() { ! info "$@"; }
ok 'ibv_devinfo: the other address' not_info uroce1 127.0.0.1
sysfs() { [ "$("$uroce" cat "/sys/class/infiniband/$1/ports/1/gid_attrs/ndevs/0")" = "$2" ]; }
ok 'sysfs uroce0' sysfs uroce0 lo
ok 'sysfs uroce1' sysfs uroce1 v0
ok 'sysfs, both' [ "$("$uroce" ls /sys/class/infiniband | paste -sd,)" = uroce0,uroce1 ]
ok 'sysfs, uverbs' [ "$("$uroce" cat /sys/class/infiniband_verbs/uverbs_uroce1/ibdev)" = uroce1 ]
[ "$(command -v python3)" ] && ok 'rdma link show -j' python3 -c "
import json, subprocess
rows = json.loads(subprocess.check_output(['$uroce', 'rdma', 'link', 'show', '-j']))
assert [(r['ifname'], r['netdev'], r['state']) for r in rows] == [('uroce0', 'lo', 'ACTIVE'), ('uroce1', 'v0', 'ACTIVE')], rows"

old_name() { env -u UROCE_DEVICES UROCE_NAME=rxe_0 "$uroce" ibv_devices 2>&1 | paste -sd' ' | grep 'note: UROCE_NAME is called UROCE_DEVICES now.* rxe_0'; }
ok 'the old name of the variable' old_name

for address in 127.0.0.1 10.0.0.1; do
	both "rping, $address" 'until_listening 7174' "rping_counted '$uroce' 3 -s -C 3 -p 7174" \
		"rping_counted '$uroce' 3 -c -a $address -C 3 -p 7174"
done
# fails TEXT COMMAND...: the command fails, and says why
fails() { ! "$uroce" "${@:2}" >"$tmp/refused" 2>&1 && grep -F -- "$1" "$tmp/refused"; }
UROCE_DEVICES=uroce0:lo
ok 'rping to where no device leads' fails 'RDMA_CM_EVENT_ADDR_ERROR, error -19' rping -c -a 10.0.0.2 -C 1
UROCE_DEVICES=uroce0:lo,uroce1:v0
if [ "$(command -v ib_write_bw)" ]; then
	for device in uroce0:127.0.0.1 uroce1:10.0.0.1; do
		both "ib_write_bw -d ${device%:*}" 'until_port 18515' "'$uroce' ib_write_bw -d ${device%:*} -n 100 -F" \
			"'$uroce' ib_write_bw -d ${device%:*} -n 100 -F ${device#*:}"
	done
fi

cat >"$tmp/two.rdma" <<'END'
if {[lmap d [devices] {dict get $d name}] ne {uroce0 uroce1}} { error [devices] }
open uroce1
if {[dict get [device uroce0] address] ne {127.0.0.1}} { error "uroce0 [device uroce0]" }
if {[dict get [device uroce1] address] ne {10.0.0.1}} { error "uroce1 [device uroce1]" }
fault port down -device uroce1
if {[dict get [lindex [ports uroce1] 0] state] ne {DOWN}} { error [ports uroce1] }
if {[dict get [lindex [ports uroce0] 0] state] ne {ACTIVE}} { error [ports uroce0] }
fault port up -device uroce1
pd -name here -device uroce0
pd -name there -device uroce1
fault gid remove 0 -device uroce1
if {[llength [gids uroce1]] || ![llength [gids uroce0]]} { error [gids uroce1] }
fault gid restore
fault device fatal -device uroce1
reg 64 -pd here
if {![catch {reg 64 -pd there} why]} { error {uroce1 has not failed} }
END
ok 'rdmash, both devices' "$rdmash" --device uroce0 -f "$tmp/two.rdma"
ok 'rdmash --device uroce1' bash -c "[ \"\$('$rdmash' --device uroce1 -q -c 'echo [dict get [device] address]')\" = 10.0.0.1 ]"
export UROCE_FAULT=event:PORT_ERR:device=uroce7
ok 'a rule about a device that is not there' fails 'device=uroce7: there is uroce0,uroce1' ibv_devinfo
finish
