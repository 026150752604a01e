#!/bin/bash
# SPDX-License-Identifier: MIT
# export-c.sh RDMASH uroce|rxe: sessions exported as C programs: each compiles without a warning,
# repeats what the session did, and leaks nothing (ASan). UROCE: the uroce program.
#
# In three parts: write and again run in the machine of the lab for rxe; compile does not, because
# it would take ten seconds a program there.
#	write		the sessions, in $dir/NAME/NAME.c
#	compile		the programs
#	again		what they do
set -u
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source-path=SCRIPTDIR source=../wait.sh
. "$here/../wait.sh"
rdmash=$1 mode=$2
examples=$(cd "$here/../../examples" && pwd)
command -v cc >/dev/null || { echo "no C compiler here: skipped"; exit 77; }
uroce=()
[ "${RDMASH_DEVICE-}" = uroce0 ] &&
	uroce=(env ASAN_OPTIONS=verify_asan_link_order=0 "${UROCE:?}")
status=0
not_ok() {
	echo "not ok: $*" >&2
	status=1
}

# ------------------------------------------------------------------------- the sessions --

# session NAME WORDS-OF-RDMASH...: ends with the program of it
session() {
	local name=$1
	shift
	mkdir -p "$dir/$name"
	"$rdmash" -q "$@" -c "export c $dir/$name/$name.c" >"$dir/log" 2>&1 || {
		cat "$dir/log" >&2
		not_ok "$name is not exported"
	}
}

# server NAME FOLDER WORDS-OF-RDMASH...: the script of one end of an example listens, in the background
server() {
	: >"$dir/server" # what the one before has said is not what this one says
	"$rdmash" -q -c "trace on" -f "$2/$1.rdma" "${@:3}" -- server >"$dir/server" 2>&1 &
	for _ in {1..300}; do
		# it listens: the CM's trace says so, TCP port 7000 is in the kernel's table
		in_file "$dir/server" rdma_listen && return
		grep -qs ':1B58 .* 0A ' /proc/net/tcp /proc/net/tcp6 && return
		nap 0.1
	done
}

# client NAME OF FOLDER WORDS-OF-RDMASH...: the program of the other end, while that server runs
client() {
	mkdir -p "$dir/$1"
	"$rdmash" -q -f "$3/$2.rdma" -c "export c $dir/$1/$1.c" "${@:4}" -- \
		client "$(cat "$dir/address")" >"$dir/log" 2>&1 ||
		{ cat "$dir/log" >&2; not_ok "no session of one end: $1"; }
	wait $!
}

write_programs() {
	local name
	for name in write-read send-recv atomics by-hand ud-datagram; do
		session "$name" -f "$examples/$name.rdma"
	done
	"$rdmash" -q -k -c 'qp create' -c 'modify-qp RTS -force' -c "export c $dir/refused.c" >"$dir/log" 2>&1
	grep -q '^	/\* ibv_modify_qp of qp0 failed with EINVAL: it is not in the program' "$dir/refused.c" ||
		not_ok "nothing is said of a call that was refused"
	# one end alone
	"$rdmash" -c 'puts [dict get [device] address]' | tail -n 1 >"$dir/address"
	server write-read "$examples"
	client client write-read "$examples"
	server by-hand "$examples"
	client alone by-hand "$examples"

	# of a list that the queue holds in part, what was posted is posted
	cat >"$dir/part.rdma" <<-'END'
		set addr [dict get [device] address]
		listen 7471 -accept
		connect $addr 7471
		# with two devices both ends have one of their own
		reg 64 -name window -pd [get [get id2 qp] pd] -access local-write,remote-write
		reg 64 -name buf -pd [get qp0 pd]
		mem put buf 0 posted
		set to [list -remote [get window addr] -rkey [get window rkey]]
		expect -error ENOMEM {
			post chain {
				post write buf -len 6 {*}$to -unsignaled
				post write buf -len 0 {*}$to -unsignaled -repeat 1000
			}
		}
		while {[mem get window 0 6] ne "posted"} {
			catch {poll -within 20ms}
		}
	END
	session part -f "$dir/part.rdma"
	write_pair
	write_tcp
	[ "${#uroce[@]}" = 0 ] || { write_calls; write_far; }
}

# Two ends, whose programs are written while they are connected: the second receive is not polled, and
# a write goes into the middle of the window.
write_pair() {
	cat >"$dir/pair.rdma" <<-'END'
		lassign $argv role addr
		if {$role eq "server"} {
			reg 64 -name window
			listen 7471 -share window
			accept
			post recv window
			expect status SUCCESS {poll -within 60s}
			post recv window
		} else {
			connect $addr 7471
			post send -text first
			expect status SUCCESS {poll -within 60s}
			post send -text second
			expect status SUCCESS {poll -within 60s}
			post write -text middle -at 32
			expect status SUCCESS {poll -within 60s}
		}
	END
	mkdir "$dir/pair-server"
	server pair "$dir" -c "export c $dir/pair-server/pair-server.c" -c 'post send -text over; poll -within 60s'
	client pair-client pair "$dir" -c 'reg 8 -name last; post recv last; poll -within 60s'
	grep -q 'private0 + 0, 8) + 32' "$dir/pair-client/pair-client.c" ||
		not_ok "an address in the window of the peer is that of the session"
	grep -q 'DISCONNECTED' "$dir/pair-client/pair-client.c" &&
		not_ok "the client waits for a server that does not leave"
}

# QPs whose ends tell each other of them over TCP, in digits of their own.
write_tcp() {
	cat >"$dir/told.rdma" <<-'END'
		lassign $argv role host
		qp create -name q
		reg 64 -name buf
		set me [qp-info q]
		set digits [string repeat 0 20]ffff[format %02x%02x%02x%02x \
			{*}[split [dict get [device] address] .]]
		set mine [format %06x:%06x:%s [dict get $me qpn] [dict get $me psn] $digits]
		modify-qp INIT q -port 1 -pkey-index 0 -access remote-write
		if {$role eq "server"} {
			post recv buf
			tcp listen 7000 -name door
			tcp accept door -name told -within 60s
			tcp send told $mine
			set theirs [tcp recv told 46]
		} else {
			tcp connect $host 7000 -name told
			set theirs [tcp recv told 46]
			tcp send told $mine
		}
		scan $theirs %x:%x:%s qpn psn gid
		modify-qp RTR q -dgid [join [regexp -all -inline {....} $gid] :] -mtu 1024 \
			-sgid-index [dict get $me gid_index] -dest-qpn $qpn -rq-psn $psn \
			-max-dest-rd-atomic 1 -min-rnr-timer 12
		modify-qp RTS q -timeout 18 -retry-cnt 6 -rnr-retry 7 -sq-psn [dict get $me psn] \
			-max-rd-atomic 1
		if {$role eq "server"} {
			expect status SUCCESS {poll -within 30s}
			expect -value "over TCP" {mem get buf 0 8}
		} else {
			mem put buf 0 "over TCP"
			post send buf -len 8
			expect status SUCCESS {poll -within 60s}
			expect -value "" {tcp recv told 1 -any -within 60s}
		}
	END
	server told "$dir"
	client told told "$dir"
	grep -q 'dest_qp_num = get_digits(s.heard0 + 0, 6, 16)' "$dir/told/told.c" ||
		not_ok "the number of the peer's QP is not the one that it has told"
}

# A peer on another host, 10.0.0.78, has a QP with the number of ours: it is the peer's that the
# programs use.
write_far() {
	cat >"$dir/far.rdma" <<-'END'
		qp create -name q
		set info "{\"qpn\":[get q qpn],\"psn\":1,\"gid\":\"::ffff:10.0.0.78\"}"
		peer b
		set port [dict get [@b tcp listen 0 -address 127.0.0.1 -name l] port]
		@b set info [binary format Ia* [string length $info] $info]
		@b -background {tcp accept l -name c; tcp send c $info; tcp recv c 4}
		oob connect 127.0.0.1 $port -qp q
		modify-qp INIT q -fill
		modify-qp RTR q -fill
	END
	session far -f "$dir/far.rdma"
	grep -q 'dest_qp_num = s.peer_of_q.qpn' "$dir/far/far.c" ||
		not_ok "the QP of another host: $(grep dest_qp_num "$dir/far/far.c")"
}

# The program makes objects, too, that only call can make.
write_calls() {
	local name fn
	cat >"$dir/call.rdma" <<-'END'
		set d [dict get [open] name]
		call -name x ibv_open_xrcd $d {fd -1 oflags CREAT}
		cq -name c
		pd -name p
		call -name ce ibv_create_cq_ex $d {cqe 16 wc_flags BYTE_LEN}
		call -name sr ibv_create_srq p {attr {max_wr 8 max_sge 1}}
		call ibv_modify_srq sr {srq_limit 2}
		call -name t ibv_alloc_td $d {}
		buf 4096
		call ibv_reg_mr p buf0 4096 LOCAL_WRITE
		call -name q ibv_create_qp_ex $d {qp_type RC send_cq c recv_cq c pd p
			send_ops_flags SEND,RDMA_WRITE
			cap {max_send_wr 4 max_recv_wr 4 max_send_sge 1 max_recv_sge 1}}
		mem put mr0 0 "what call has made"
		mem get mr0 0 18
	END
	session call -f "$dir/call.rdma"
	for fn in ibv_open_xrcd ibv_create_cq_ex ibv_modify_srq ibv_alloc_td ibv_create_qp_ex; do
		grep -q "$fn(s\." "$dir/call/call.c" || not_ok "the program has no $fn"
	done
	# functions that only call reaches, with every kind of argument
	for name in each ep; do
		session "call-$name" -f "$here/../call/$name.rdma"
	done
}

# Refusals: the same on any device.
try_refusals() {
	echo 'int main(void) { return 0; }' >"$dir/mine.c"
	"$rdmash" -c 'pd' -c "export c $dir/mine.c" >"$dir/out" 2>&1
	if ! grep -q 'not written' "$dir/out" || ! grep -q 'return 0; }' "$dir/mine.c"; then
		not_ok "a file that is not its own is overwritten"
	fi
	mkdir "$dir/gate"
	echo "pd; export c $dir/outside.c" >"$dir/gate/gate.rdma"
	"$rdmash" -f "$dir/gate/gate.rdma" >"$dir/out" 2>&1 && not_ok "the gate is open"
	[ ! -e "$dir/outside.c" ] ||
		not_ok "a script writes outside its folder"
	cat >"$dir/many.rdma" <<-'END'
		set addr [dict get [device] address]
		listen 7471 -accept
		connect $addr 7471
		reg 64 -name window -access local-write,remote-write
		for {set i 0} {$i < 5000} {incr i} {
			post write window -len 1 -remote [get window addr] -rkey [get window rkey]
			poll
		}
	END
	"$rdmash" -q -f "$dir/many.rdma" -c "puts [export c $dir/many.c]" >"$dir/out" 2>&1
	grep -qE 'lost the beginning: 0 calls of the control path and [1-9][0-9]* of the data' \
		"$dir/out" || not_ok "it does not say what the record has lost"
}

# ------------------------------------------------------------------------- the compiler --

compile_programs() {
	local source flags=(-std=c11 -Wall -Wextra -Werror)
	for source in "$dir"/*/*.c; do
		cc "${flags[@]}" -g -fsanitize=address,undefined -o "${source%.c}" "$source" -lrdmacm \
			-libverbs || not_ok "$source does not compile"
		! command -v clang >/dev/null || clang "${flags[@]}" -fsyntax-only "$source" ||
			not_ok "$source: clang"
	done
}

# ------------------------------------------------------------------------- the programs --

# again NAME WHAT: the program passes, and prints that
again() {
	local out
	if out=$(timeout 60 "${uroce[@]}" "$dir/$1/$1" 2>&1) && grep -q "$2" <<<"$out"; then
		echo "ok: $1"
	else
		printf '%s\n' "$out" >&2
		not_ok "$1 fails, or does not print '$2'"
	fi
}

# beside EXAMPLE NAME WHAT FOLDER: with the server's script of the example the program passes,
# prints that, and the script passes too
beside() {
	server "$1" "$4"
	if timeout 60 "${uroce[@]}" "$dir/$2/$2" "$addr" >"$dir/out" 2>&1 && wait $! &&
		grep -q "$3" "$dir/out"
	then
		echo "ok: the client's program, with the server's script: $1"
	else
		cat "$dir/out" "$dir/server" >&2
		not_ok "the client's program, with the server's script: $1"
	fi
}

# The two programs of a session: the server stays until the client has done all.
run_pair() {
	timeout 60 "${uroce[@]}" "$dir/pair-server/pair-server" >"$dir/server" 2>&1 &
	for _ in {1..100}; do # it may not listen yet
		timeout 60 "${uroce[@]}" "$dir/pair-client/pair-client" "$addr" >"$dir/out" 2>&1 && break
		grep -q REJECTED "$dir/out" || break
		nap 0.1
	done
	if wait $! && grep -q 'wr_id 2: success' "$dir/out" &&
		grep -q 'wr_id 3: success' "$dir/out" && grep -q DISCONNECTED "$dir/server"
	then
		echo "ok: the programs of both ends"
	else
		cat "$dir/out" "$dir/server" >&2
		not_ok "the programs of both ends"
	fi
}

run_programs() {
	local addr
	again write-read 'buf+100: client wrote this'
	again send-recv 'answer+0: how are you?'
	again atomics 'window+0:'
	again by-hand 'buf+0: hello, memory'
	again ud-datagram 'inbox+40: hello, datagram'
	again part 'window+0: posted'
	[ "${#uroce[@]}" = 0 ] || again call 'mr0+0: what call has made'

	# one end, with the script at the other end, and where nobody answers
	addr=$(cat "$dir/address")
	beside write-read client 'buf+100: client wrote this' "$examples"
	beside by-hand alone 'wr_id 2: success' "$examples"
	beside told told 'wr_id 1: success' "$dir"
	run_pair
	timeout 60 "${uroce[@]}" "$dir/client/client" "$addr" >"$dir/out" 2>&1
	if [ $? = 1 ] && grep -q 'status' "$dir/out" && ! grep -q Sanitizer "$dir/out"; then
		echo "ok: nobody listens: it says so, and cleans up"
	else
		cat "$dir/out" >&2
		not_ok "the client's program, where nobody listens"
	fi
}

# ------------------------------------------------------------------------------ the whole --

dir=${3-}
[ "$dir" ] || { dir=$(mktemp -d) && trap 'rm -rf "$dir"' EXIT; }
machine=("$here/../../rxe-lab" run -t 1100 bash "$0" "$rdmash")
case $mode in
uroce)
	exec bash "$here/../on.sh" uroce bash "$0" "$rdmash" here
	;;
here)
	write_programs
	try_refusals
	compile_programs
	run_programs
	;;
rxe)
	set -o pipefail
	"$here/../../rxe-lab" check || exit
	"${machine[@]}" write | tar -x -C "$dir" || not_ok "in the machine: the sessions"
	compile_programs
	"${machine[@]}" again "$dir" || not_ok "in the machine: the programs"
	;;
write)
	write_programs
	tar -c -C "$dir" .
	;;
again)
	programs=$dir
	dir=$(mktemp -d) && trap 'rm -rf "$dir"' EXIT
	cp -r "$programs/." "$dir"
	run_programs
	;;
esac
exit "$status"
