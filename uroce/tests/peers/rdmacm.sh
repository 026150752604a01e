#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The programs of rdmacm-utils, unmodified, each as two processes, over IPv4 and IPv6.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh" "$@"
need rping ucmatose udaddy cmtime rdma_server

# newer ones tell each other when to go on, over IPv4
cmtime_hosts='127.0.0.1 ::1'
! cmtime -h 2>&1 | grep -q mimic || cmtime_hosts=127.0.0.1

# Exactly this is said by an rping that was served well: it destroys its event channel while a thread
# of its own is about to wait for events there. That is so with every device.
rping_race='client DISCONNECT EVENT...
rdma_get_cm_event: Bad file descriptor'
rping_client() { # UROCE ARGUMENTS...
	local said status=0
	said=$("$1" rping -c "${@:2}" -V 2>&1) || status=$?
	[ -z "$said" ] || printf '%s\n' "$said"
	[ "$status" = 0 ] || [ "$said" = "$rping_race" ]
}
export rping_race
export -f rping_client

for host in 127.0.0.1 ::1; do
	both "rping $host" 'until_listening 7174' "'$uroce' rping -s -a $host -C 20 -V" \
		"rping_client '$uroce' -a $host -C 20"
	served "rping -P $host" 'until_listening 7174' "exec '$uroce' rping -s -a $host -P" \
		"rping_client '$uroce' -a $host -C 20 && rping_client '$uroce' -a $host -C 5 -S 60000"
	both "ucmatose $host" 'until_listening 7471' "'$uroce' ucmatose -b $host -c 5" \
		"'$uroce' ucmatose -s $host -c 5"
	both "udaddy $host" 'until_listening 7174' "'$uroce' udaddy -b $host -c 3" \
		"'$uroce' udaddy -s $host -c 3"
	[[ " $cmtime_hosts " != *" $host "* ]] || served "cmtime $host" 'until_listening 7471' "exec '$uroce' cmtime -b $host -c 100" \
		"'$uroce' cmtime -s $host -c 100"
done
# it listens for IPv4 only
both 'rdma_client' 'until_listening 7471' "'$uroce' rdma_server -p 7471" \
	"'$uroce' rdma_client -s 127.0.0.1 -p 7471"
finish
