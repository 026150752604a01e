#!/bin/sh
# SPDX-License-Identifier: MIT
# Multicast on an interface in a network namespace of its own: IPv6 multicast does not go over lo.
# usage: mcast_veth.sh MCAST_TEST
unshare -rn true 2> /dev/null || exit 77
exec unshare -rn sh -c '
	ip link set lo up && ip link add d0 type veth peer d1 || exit 77
	echo 0 > /proc/sys/net/ipv6/conf/d0/accept_dad
	ip link set d0 up && ip link set d1 up && exec "$1" d0' sh "$1"
