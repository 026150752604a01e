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

for host in 127.0.0.1 ::1; do
	both "rping $host" 'until_listening 7174' "rping_counted '$uroce' 20 -s -C 20 -a $host" \
		"rping_counted '$uroce' 20 -c -C 20 -a $host"
	served "rping -P $host" 'until_listening 7174' "exec '$uroce' rping -s -a $host -P -S 60000" \
		"rping_counted '$uroce' 20 -c -C 20 -a $host &&
		rping_counted '$uroce' 5 -c -C 5 -a $host -S 60000"
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
