#!/bin/bash
# SPDX-License-Identifier: MIT
#
# cgroup.sh VTRACE UROCE PROGRAM: a program in a cgroup with little memory or few processes, on uroce0,
# alone and traced, vtrace in the group or not: it works, or the kernel kills it, or a line says what is
# missing; nothing hangs. To be run as root of a machine of the lab.
# shellcheck source-path=SCRIPTDIR source=../../uroce/tests/checks.sh
. "$(dirname "$0")/../../uroce/tests/checks.sh"
vtrace=$1 uroce=$2 program=$3
start_checks
groups=$tmp/groups
mkdir "$groups"
mount -t cgroup2 none "$groups" || { echo "no cgroups here: skipped"; exit 77; }
trap 'umount -l "$groups"; rm -rf "$tmp"' EXIT
echo +memory +pids >"$groups/cgroup.subtree_control" || exit
# the kernel's rxe has the port of this network
run() { timeout -k 5 120 unshare --net sh -c 'ip link set lo up && exec "$@"' sh "$@"; }
# shellcheck disable=SC2016 # sh knows them
inside=(sh -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' "$groups/limited")

# ends WHAT COMMAND...
ends() {
	local what=$1 status=0
	shift
	run "$@" >"$tmp/said" 2>&1 || status=$?
	if [ $status = 137 ]; then # SIGKILL: by the kernel, or by timeout(1)
		ok "$what: killed by the kernel" grep -q '^oom_kill [1-9]' "$groups/limited/memory.events"
	elif [ $status != 0 ]; then
		ok "$what: says why" grep -qE '^(vtrace|uroce): .*(unavailable|memory)' "$tmp/said"
	else
		echo "ok: $what"
	fi
}
for limit in memory.max=4M memory.max=16M memory.max=64M pids.max=1 pids.max=2 pids.max=3 pids.max=16; do
	mkdir "$groups/limited" && echo "${limit#*=}" >"$groups/limited/${limit%=*}" || exit
	ends "$limit" "${inside[@]}" "$uroce" "$program" calls 100
	ends "$limit, vtrace" "${inside[@]}" "$vtrace" -o "$tmp/trace" "$uroce" "$program" calls 100
	ends "$limit, vtrace outside" "$vtrace" -o "$tmp/trace" "${inside[@]}" "$uroce" "$program" calls 100
	rmdir "$groups/limited" || exit
done
ok "the last one is traced" grep -q ' ibv_close_device ctx0 = 0' "$tmp/trace"
finish
