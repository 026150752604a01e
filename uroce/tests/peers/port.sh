#!/bin/bash
# SPDX-License-Identifier: MIT
#
# port.sh PROGRAM-UROCE PORT: links, addresses and the device come and go under a program.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh" "$@"
port=$2
ip link add v0 type veth peer name v1 2>/dev/null || { echo 'no veth here: skipped'; exit 77; }
for end in v0 v1; do
	ip link set "$end" addrgenmode none up || exit 1
done
ip addr add 10.0.0.1/24 dev v0 || exit 1
for path in memory udp; do
	ok "through $path" env UROCE_PATH="$path" "$uroce" "$port"
done
finish
