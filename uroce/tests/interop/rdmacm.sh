#!/bin/bash
# SPDX-License-Identifier: MIT
#
# rdmacm-utils on the device and on the kernel's rxe, each as server and as client.
# shellcheck source-path=SCRIPTDIR source=lib.sh disable=SC2016
. "$(dirname "$0")/lib.sh" "$@"
need rping ucmatose udaddy cmtime

for six in '' 6; do
	family=IPv${six:-4}
	both "rping, $family" 7174 "\$on rping -s -a \$me$six -C 20 -V" \
		"\$on rping -c -a \$peer$six -C 20 -V"
	both "ucmatose, $family" 7471 "\$on ucmatose -b \$me$six -c 5" "\$on ucmatose -s \$peer$six -c 5"
	both "udaddy, $family" 7174 "\$on udaddy -b \$me$six -c 3" "\$on udaddy -s \$peer$six -c 3"
done
both 'rping, large and odd' 7174 '$on rping -s -a $me -C 5 -S 65535 -V' \
	'$on rping -c -a $peer -C 5 -S 65535 -V'
both 'rping -P' 7174 '$on rping -s -a $me -P & stay' \
	'$on rping -c -a $peer -C 20 -V && $on rping -c -a $peer -C 5 -S 60001 -V'
both 'cmtime' 7471 '$on cmtime -b $me & stay' '$on cmtime -s $peer -c 20'
finish
