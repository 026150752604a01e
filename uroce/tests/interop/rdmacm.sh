#!/bin/bash
# SPDX-License-Identifier: MIT
#
# rdmacm-utils on the device and on the kernel's rxe, each as server and as client.
# shellcheck source-path=SCRIPTDIR source=lib.sh disable=SC2016
. "$(dirname "$0")/lib.sh" "$@"
need rping ucmatose udaddy cmtime

# rping ends with 0 whenever the other end disconnects: its pings count
pings='pings() { local n; n=$($on rping -c -C "$@" -vV | grep -ac "^ping data: rdma-ping-")
		echo "pinged $n of $1"; [ "$n" = "$1" ]; };'
for six in '' 6; do
	family=IPv${six:-4}
	both "rping, $family" 7174 "\$on rping -s -a \$me$six -C 20 -V" \
		"$pings pings 20 -a \$peer$six"
	both "ucmatose, $family" 7471 "\$on ucmatose -b \$me$six -c 5" "\$on ucmatose -s \$peer$six -c 5"
	both "udaddy, $family" 7174 "\$on udaddy -b \$me$six -c 3" "\$on udaddy -s \$peer$six -c 3"
done
both 'rping, large and odd' 7174 '$on rping -s -a $me -C 5 -S 65535 -V' \
	"$pings pings 5 -a \$peer -S 65535"
both 'rping -P' 7174 '$on rping -s -a $me -P -S 60001 & stay' \
	"$pings pings 20 -a \$peer && pings 5 -a \$peer -S 60001"
both 'cmtime' 7471 '$on cmtime -b $me & stay' '$on cmtime -s $peer -c 20'
finish
