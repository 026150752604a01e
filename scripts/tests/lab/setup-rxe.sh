#!/bin/bash
# SPDX-License-Identifier: MIT
#
# setup-rxe in a machine without RDMA devices: twice, undo, and what it leaves
# alone.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
can_run run

cat > "$tmp/try" <<'T'
s() { echo "== $*"; "$scripts/setup-rxe" "$@"; echo "status $?"; }
s --status
s
ip route add default via 10.0.0.9 dev eth0
s
s
s eth1
rdma link
ls /etc/security/limits.d
s --undo
rdma link
s --undo
s --status
echo == somebody else
rdma link add mine type rxe netdev eth0
s eth0
s --undo
rdma link
echo '# edited' >> /etc/security/limits.d/90-rdmash-memlock.conf 
s --undo
s nosuch
T
scripts=$scripts "$lab" run -D none bash "$tmp/try" > "$tmp/out" 2>&1
equal 'status' $? 0
sed 's/^/    /' "$tmp/out"
# section N: the lines after the Nth "=="
section() { awk -v n="$1" '/^==/ {i++; next} i == n' "$tmp/out" > "$tmp/section"; }
section 1
has 'status before' "$tmp/section" '^module rdma_rxe: not loaded'
has 'no device before' "$tmp/section" '^device: none'
section 2
has 'no default route' "$tmp/section" 'no default route.* eth0'
section 3
has 'the device of the default route' "$tmp/section" '^network device: eth0'
has 'adds rxe0' "$tmp/section" '^added: rxe0 on eth0'
has 'adds the limit' "$tmp/section" '^added: /etc/security'
has 'status' "$tmp/section" '^status 0'
section 4
has 'the second time: already' "$tmp/section" '^already: rxe0 on eth0'
ok 'the second time adds nothing' [ -z "$(grep -E '^(added|loaded)' "$tmp/section")" ]
section 5
has 'another device' "$tmp/section" '^added: rxe1 on eth1'
has 'the link is there' "$tmp/section" '^link rxe0/1 .* netdev eth0'
section 6
has 'undo: rxe0' "$tmp/section" '^removed: rxe0'
has 'undo: rxe1' "$tmp/section" '^removed: rxe1'
has 'undo: module' "$tmp/section" '^unloaded: module rdma_rxe'
has 'undo: limit' "$tmp/section" '^removed: /etc/security'
ok 'no link is left' [ -z "$(grep ^link "$tmp/section")" ]
section 7
has 'undo again' "$tmp/section" '^nothing to remove'
section 8
has 'status after' "$tmp/section" '^device: none'
has 'limit after' "$tmp/section" '^limit: not raised'
section 10
has "somebody's own link is used" "$tmp/section" '^already: mine on eth0'
section 11
has "somebody's own link stays" "$tmp/section" '^link mine/1'
section 13
has 'no such device' "$tmp/section" 'no network device nosuch'
finish
