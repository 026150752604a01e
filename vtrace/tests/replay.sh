#!/bin/bash
# SPDX-License-Identifier: MIT
#
# replay.sh VTRACE UROCE RDMASH PEER PROGRAM STREAMS: programs are recorded (vtrace --record) against their other end,
# and the scripts play their part against that other end, unmodified, with other keys, addresses and
# numbers. Its output and exit code are what they were. UROCE "": on the kernel's device. PEER has
# the programs of scripts/seeds in plain C; PROGRAM is traced_program, STREAMS traced_streams.
# shellcheck source-path=SCRIPTDIR source=../../uroce/tests/checks.sh
. "$(dirname "$0")/../../uroce/tests/checks.sh"
# shellcheck source=../../scripts/tests/wait.sh
. "$(dirname "$0")/../../scripts/tests/wait.sh"
need rping rdma_client rdma_server ibv_rc_pingpong
vtrace=$1 uroce=$2 rdmash=$3 peer=$4 program=$5 streams=$6
address=10.0.0.1
on=()
[ -z "$uroce" ] || on=("$uroce")
start_checks

# server FILE COMMAND...: starts it, until it listens for messages of the connection manager; $pid; its
# output goes to FILE
server() {
	local file=$1
	shift
	timeout 60 "$@" >"$file" 2>&1 &
	pid=$!
	started+=("$pid")
	until UROCE=$uroce listens; do
		kill -0 "$pid" 2>/dev/null || return
		nap 0.1
	done
}

# same WHAT A B: the server has said the same
same() {
	if diff "$2" "$3" >"$tmp/diff"; then echo "ok: $1"; else
		not_ok "$1"
		sed 's/^/    /' "$tmp/diff"
	fi
}

# has WHAT PATTERN / has_no: lines of the script
has() {
	if grep -Eq -- "$2" "$tmp/script.rdma"; then echo "ok: $1"; else not_ok "$1: no $2"; fi
}
has_no() {
	if grep -E -- "$2" "$tmp/script.rdma"; then not_ok "$1: $2"; else echo "ok: $1"; fi
}
play() {
	timeout 60 "$rdmash" -q "$tmp/script.rdma" "$@"
}

# a client by the connection manager: what it sends has its addresses and keys
raced=(sh "$(dirname "$0")/raced.sh")
server "$tmp/first" "${raced[@]}" "${on[@]}" rping -s -a $address -C 3 -v
ok "rping's client is recorded" timeout 60 "$vtrace" --record "$tmp/script.rdma" "${on[@]}" \
	rping -c -a $address -C 3 -v
ok "its server ends" wait "$pid"
has_no "all values were followed" 'NOT FOLLOWED'
has "addresses and keys are those of the replay" 'binary format W \[get mr[0-9] addr\].*binary format I \[get mr[0-9] rkey\]'
server "$tmp/second" "${raced[@]}" "${on[@]}" rping -s -a $address -C 3 -v
ok "the script plays rping's client" play $address
ok "its server ends" wait "$pid"
same "rping's server has said the same" <(grep ping "$tmp/first") <(grep ping "$tmp/second")
grep -q 'rdma-ping-2: CDEFGH' "$tmp/second" || not_ok "the server got no third ping"

# QPs by hand: the two tell each other of them over TCP, in hexadecimal digits
pingpong=(ibv_rc_pingpong -g 0 -n 20 -r 5)
[ -n "$uroce" ] || pingpong=(ibv_rc_pingpong -e -d rxe0 -g 1 -n 20 -r 5)

# both WHAT SERVER... -- CLIENT...: they run against each other
both() {
	local what=$1 server=() pid
	shift
	while [ "$1" != -- ]; do
		server+=("$1")
		shift
	done
	shift
	timeout 60 "${server[@]}" >"$tmp/said" 2>&1 &
	pid=$!
	started+=("$pid")
	await_port 18515 "$pid"
	ok "$what: the client" timeout 60 "$@"
	ok "$what: the server" wait "$pid" || cat "$tmp/said"
}

both "ibv_rc_pingpong's client is recorded" "${on[@]}" "${pingpong[@]}" -- \
	"$vtrace" --record "$tmp/script.rdma" "${on[@]}" "${pingpong[@]}" $address
has_no "all values were followed" 'NOT FOLLOWED'
# shellcheck disable=SC2016 # as it stands in the script
has "its QPN and GID are those of the replay" \
	'tcp send tcp0 .*\[format %06llx \[get qp0 qpn\]\].*\[gid_digits \[call'
# shellcheck disable=SC2016
has "the peer's come from what it has said" 'dest_qp_num \[get_digits \$heard0 5 6 16\]'
both "the script plays its client" "${on[@]}" "${pingpong[@]}" -- "$rdmash" -q "$tmp/script.rdma"
grep -q '20 iters' "$tmp/said" || not_ok "the server had other iterations: $(cat "$tmp/said")"

# by streams of stdio, as lines of text; the same socket is used by two of them
index=0
[ -n "$uroce" ] || index=1
both "a client with streams is recorded" "${on[@]}" "$streams" server 18515 $index -- \
	"$vtrace" --record "$tmp/script.rdma" "${on[@]}" "$streams" client $address 18515 $index
has_no "all values were followed" 'NOT FOLLOWED'
has_no "what a file has got is not sent" unsent
has "what it has told" 'tcp send tcp0 "hello \[format %06llx \[get qp0 qpn\]\]'
both "the script plays it" "${on[@]}" "$streams" server 18515 $index -- \
	"$rdmash" -q "$tmp/script.rdma"
ok "the server has the data" grep -q '^it has -written by the client$' "$tmp/said"

if [ -n "$uroce" ] && command -v ib_write_bw >/dev/null; then
	bw=(ib_write_bw -x 0 -p 18515 -n 20 -s 1024)
	both "ib_write_bw's client is recorded" "${on[@]}" "${bw[@]}" -- \
		"$vtrace" --record "$tmp/script.rdma" "${on[@]}" "${bw[@]}" $address
	has_no "all values were followed" 'NOT FOLLOWED'
	both "the script plays its client" "${on[@]}" "${bw[@]}" -- "$rdmash" -q "$tmp/script.rdma"
	# memory that the other end reads is written before the server tells of it
	bw=(ib_read_bw -x 0 -p 18515 -n 20 -s 64)
	both "ib_read_bw's server is recorded" "$vtrace" --record "$tmp/script.rdma" "${on[@]}" "${bw[@]}" -- \
		"${on[@]}" "${bw[@]}" $address
	has_no "all values were followed" 'NOT FOLLOWED'
	has "the memory that is read" '^mem put mr0'
	both "the script plays its server" "$rdmash" -q "$tmp/script.rdma" -- "${on[@]}" "${bw[@]}" $address
fi

both "ibv_rc_pingpong's server is recorded" "$vtrace" --record "$tmp/script.rdma" "${on[@]}" \
	"${pingpong[@]}" -- "${on[@]}" "${pingpong[@]}" $address
has_no "all values were followed" 'NOT FOLLOWED'
both "the script plays its server" "$rdmash" -q "$tmp/script.rdma" -- "${on[@]}" "${pingpong[@]}" \
	$address

# extended QPs and CQs: to itself, with data inline from memory that is not registered; and, with
# another end, a program that posts so
ok "an extended QP and CQ are recorded" "$vtrace" --record "$tmp/script.rdma" "${on[@]}" "$program" \
	extended 4
has_no "all values were followed" 'NOT FOLLOWED'
has "a request" '^call -with \{wr_id 3 wr_flags SIGNALED,INLINE\} ibv_wr_send qp0$'
has "its completion" '^completion cq0 SEND 3$'
sed -i 's/^call ibv_destroy_qp qp0$/expect -name "what was sent" -value "turn 3" {mem get mr0 0 6}\n&/' \
	"$tmp/script.rdma"
ok "the script plays them, with the data of the program" play
if [ -n "$uroce" ]; then
	both "ibv_rc_pingpong -N is recorded" "${on[@]}" "${pingpong[@]}" -- \
		"$vtrace" --record "$tmp/script.rdma" "${on[@]}" "${pingpong[@]}" -N $address
	has_no "all values were followed" 'NOT FOLLOWED'
	has "it has posted with ibv_wr_complete()" 'ibv_wr_complete qp0'
	both "the script plays it" "${on[@]}" "${pingpong[@]}" -- "$rdmash" -q "$tmp/script.rdma"
	grep -q '20 iters' "$tmp/said" || not_ok "the server had other iterations: $(cat "$tmp/said")"
fi

# Programs of scripts/seeds. example: the two tell each other of their regions by SEND, as
# little-endian structs. imm: the server tells in its private data, big-endian; a WRITE with
# immediate data.

# behind WHAT SERVER...: $client runs against it; what the two say is in server and client
behind() {
	local what=$1 pid
	shift
	server "$tmp/server" "$@"
	ok "$what: the client" timeout 60 "${client[@]}"
	cp "$tmp/out" "$tmp/client"
	ok "$what: the server" wait "$pid" || cat "$tmp/server"
}

# on rxe a program takes seconds to start
roles=(example imm)
[ -z "$uroce" ] || roles+=(bulk)
for role in "${roles[@]}"; do
	server "$tmp/first" "${on[@]}" "$peer" $role-server 7471
	ok "$role's client is recorded" timeout 60 "$vtrace" --record "$tmp/script.rdma" \
		"${on[@]}" "$peer" $role-client $address 7471
	ok "$role's server" wait "$pid"
	has_no "all values were followed" 'NOT FOLLOWED'
	server "$tmp/second" "${on[@]}" "$peer" $role-server 7471
	ok "the script plays $role's client" play $address
	ok "$role's server" wait "$pid"
	same "$role's server has said the same" "$tmp/first" "$tmp/second"

	client=("${on[@]}" "$peer" "$role-client" "$address" 7471)
	behind "$role's server is recorded" "$vtrace" --record "$tmp/script.rdma" "${on[@]}" "$peer" \
		$role-server 7471
	cp "$tmp/client" "$tmp/first"
	has_no "all values were followed" 'NOT FOLLOWED'
	behind "the script plays $role's server" "$rdmash" -q "$tmp/script.rdma"
	same "$role's client has said the same" "$tmp/first" "$tmp/client"
done

[ -n "$uroce" ] || finish
client=("${on[@]}" rping -c -a "$address" -C 2 -v -V)
behind "rping's server is recorded" "${raced[@]}" \
	"$vtrace" --record "$tmp/script.rdma" "${on[@]}" rping -s -a $address -C 2
has_no "all values were followed" 'NOT FOLLOWED'
behind "the script plays rping's server" "$rdmash" -q "$tmp/script.rdma"
grep -q 'rdma-ping-1: BCDEF' "$tmp/client" || not_ok "the client got no second ping"

# in the PD and CQs that librdmacm takes where none are given
server "$tmp/first" "${on[@]}" "$program" serve $address
ok "a client in librdmacm's PD is recorded" timeout 60 "$vtrace" --record "$tmp/script.rdma" \
	"${on[@]}" "$program" visit $address
ok "its server ends" wait "$pid"
has_no "all values were followed" 'NOT FOLLOWED'
has "the script makes that PD" '^call -name pd0 ibv_alloc_pd'
has "and those CQs" '^call -name cq1 ibv_create_cq .* ch1 0'
server "$tmp/second" "${on[@]}" "$program" serve $address
ok "the script plays that client" play $address
ok "its server ends" wait "$pid"
client=("${on[@]}" "$program" visit "$address")
behind "a server in librdmacm's PD is recorded" "$vtrace" --record "$tmp/script.rdma" "${on[@]}" \
	"$program" serve $address
has_no "all values were followed" 'NOT FOLLOWED'
behind "the script plays that server" "$rdmash" -q "$tmp/script.rdma"

# what the server has told is read from the event that librdmacm keeps in the id
server "$tmp/first" "${on[@]}" "$program" serve $address
ok "a client without a channel is recorded" timeout 60 "$vtrace" --record "$tmp/script.rdma" \
	"${on[@]}" "$program" meet $address
ok "its server ends" wait "$pid"
has_no "all values were followed" 'NOT FOLLOWED'
has "what the server has told" '^set private0 \[dict get \[show id0\] private_data\]'
server "$tmp/second" "${on[@]}" "$program" serve $address
ok "the script plays that client" play $address
ok "its server ends" wait "$pid"

# the same of rdma_create_ep(), whose listener gives them to the id of a request
server "$tmp/first" "${on[@]}" rdma_server -s $address
ok "rdma_client is recorded" timeout 60 "$vtrace" --record "$tmp/script.rdma" \
	"${on[@]}" rdma_client -s $address
ok "its server ends" wait "$pid"
has "the script makes its CQs" '^call -name cq1 ibv_create_cq .* ch1 0'
server "$tmp/second" "${on[@]}" rdma_server -s $address
ok "the script plays rdma_client" play $address
ok "its server ends" wait "$pid"
client=("${on[@]}" rdma_client -s "$address")
behind "rdma_server is recorded" "$vtrace" --record "$tmp/script.rdma" "${on[@]}" \
	rdma_server -s $address
behind "the script plays rdma_server" "$rdmash" -q "$tmp/script.rdma"

server "$tmp/first" "${on[@]}" "$peer" bulk-server 7471
ok "--no-data" timeout 60 "$vtrace" --no-data --record "$tmp/script.rdma" "${on[@]}" "$peer" \
	bulk-client $address 7471
ok "its server" wait "$pid"
has_no "long data are left out" 'mem fill'
server "$tmp/second" "${on[@]}" "$peer" bulk-server 7471
ok "the script writes as much without them" play $address
ok "its server" wait "$pid"
grep -q '^0 bytes have come' "$tmp/second" || not_ok "the server got: $(cat "$tmp/second")"
finish
