#!/bin/bash
# SPDX-License-Identifier: MIT
# tcp-addresses.sh RDMASH: a host with two addresses, of which the first does not answer: tcp connect
# and oob connect try the second, within their time.
set -eu
rdmash=$1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
printf '127.0.0.1 localhost\n10.0.0.78 two\n10.0.0.1 two\n' >"$dir/hosts"
printf 'precedence ::ffff:10.0.0.78/128 100\nprecedence ::ffff:0:0/96 10\n' >"$dir/gai.conf"
cat >"$dir/test.rdma" <<'end'
set port [dict get [tcp listen 0 -address 10.0.0.1 -name door] port]
tcp connect two $port -name a -within 4s
tcp accept door -name b
tcp send a hello
expect -name "tcp connect takes the second" -value hello {tcp recv b 5}
expect -name "none answers" -error ETIMEDOUT {tcp connect 10.0.0.78 $port -within 100}
expect -name "none listens" -error ECONNREFUSED {tcp connect 10.0.0.1 1}
qp create -name left
qp create -name right
set port [dict get [oob listen 0 -address 10.0.0.1 -qp left -background] port]
expect -name "oob connect, too" qpn [get left qpn] {oob connect two $port -qp right -within 4s}
end
# shellcheck disable=SC2016
unshare --mount sh -c 'mount --bind "$1/hosts" /etc/hosts && mount --bind "$1/gai.conf" /etc/gai.conf &&
	[ "$(getent ahosts two | sed "s/ .*//;q")" = 10.0.0.78 ] && exec "$2" -q -f "$1/test.rdma"' sh "$dir" "$rdmash"
