#!/bin/bash
# SPDX-License-Identifier: MIT
# Multicast on an interface in a network namespace of its own: IPv6 multicast does not go over lo.
# usage: mcast_veth.sh MCAST_TEST
# shellcheck source-path=SCRIPTDIR source=checks.sh
. "$(dirname "$0")/checks.sh"
if ! said=$("${own_network[@]}" ip link add d0 type veth peer d1 2>&1); then
	echo "skipped: no network of its own: $said"
	exit 77
fi
# shellcheck disable=SC2016
exec "${own_network[@]}" bash -c '
	ip link set lo up && ip link add d0 type veth peer d1 || exit
	echo 0 > /proc/sys/net/ipv6/conf/d0/accept_dad
	ip link set d0 up && ip link set d1 up && exec "$1" d0' bash "$1"
