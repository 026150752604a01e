#!/bin/bash
# SPDX-License-Identifier: MIT
# export.sh RDMASH: sessions as C programs on the device there is (on.sh): each compiles without
# a warning, does again what the session did, and leaves nothing behind (ASan). UROCE: the
# uroce program, for the embedded device.
set -u
# shellcheck source-path=SCRIPTDIR source=wait.sh
. "$(dirname "$0")/wait.sh"
rdmash=$1
examples=$(cd "$(dirname "$0")/../examples" && pwd)
dir=$(mktemp -d) && trap 'rm -rf "$dir"' EXIT
command -v cc >/dev/null || { echo "no C compiler here: skipped"; exit 77; }
run=()
[ "${RDMASH_DEVICE-}" = uroce0 ] &&
	run=(env ASAN_OPTIONS=verify_asan_link_order=0 "${UROCE:?}")
status=0
not_ok() {
	echo "not ok: $*"
	status=1
}

compile() {
	local flags=(-std=c11 -Wall -Wextra -Werror)
	cc "${flags[@]}" -g -fsanitize=address,undefined -o "$1" "$1.c" -lrdmacm -libverbs ||
		not_ok "$1.c does not compile"
	if command -v clang >/dev/null && [ "${#run[@]}" != 0 ]; then # slow in the machine
		clang "${flags[@]}" -fsyntax-only "$1.c" || not_ok "$1.c: clang"
	fi
}

# again NAME WHAT: the program passes, and prints that
again() {
	local out
	if out=$(timeout 60 "${run[@]}" "$dir/$1/$1" 2>&1) && grep -q "$2" <<<"$out"; then
		echo "ok: $1"
	else
		printf '%s\n' "$out"
		not_ok "$1 fails, or does not print '$2'"
	fi
}

while IFS='|' read -r name what; do
	mkdir "$dir/$name"
	"$rdmash" -q -f "$examples/$name.rdma" -c "export c $dir/$name/$name.c" >"$dir/log" 2>&1 || {
		cat "$dir/log"
		not_ok "$name is not exported"
	}
	compile "$dir/$name/$name"
	again "$name" "$what"
done <<-'END'
	write-read|buf+100: client wrote this
	send-recv|answer+0: how are you?
	atomics|window+0:
	by-hand|buf+0: hello, memory
	ud-datagram|inbox+40: hello, datagram
END

# The one by hand on pyverbs, which has no use for the others.
python=$(PATH=/usr/bin command -v python3)
if [ "$python" ] && "$python" -c 'import pyverbs' 2>/dev/null; then
	"$rdmash" -q -f "$examples/by-hand.rdma" -c "export pyverbs $dir/by_hand.py" >"$dir/log" 2>&1
	# Python has leaks of its own, if uroce is built to look for them
	if ASAN_OPTIONS=detect_leaks=0 "${run[@]/=0/=0:detect_leaks=0}" "$python" "$dir/by_hand.py" >"$dir/out" 2>&1 &&
		grep -q "buf+0: b'hello, memory'" "$dir/out"; then
		echo "ok: by-hand on pyverbs"
	else
		cat "$dir/log" "$dir/out"
		not_ok "by-hand on pyverbs"
	fi
	"$rdmash" -c 'cm create' -c "export pyverbs $dir/cm.py" 2>&1 |
		grep -q 'connected by hand can be exported' || not_ok "pyverbs and the CM"
fi

# One end of the same session, against the script at the other end, and where nobody answers.
client=$dir/client/client
mkdir "$dir/client"
"$rdmash" -q -f "$examples/write-read.rdma" -c "export c $client.c -role client" >"$dir/log" 2>&1 ||
	not_ok "no client's end"
compile "$client"
grep -q rdma_listen "$client.c" && not_ok "the client's end has calls of the server's"
addr=$("$rdmash" -c 'puts [dict get [device] address]' | tail -n 1)
server() {
	: >"$dir/server" # what the one before has said is not what this one says
	"$rdmash" -q -c "trace on" -f "$examples/$1.rdma" -- server >"$dir/server" 2>&1 &
	for _ in {1..100}; do
		# it listens: the CM's trace says so, TCP port 7000 is in the kernel's table
		in_file "$dir/server" rdma_listen && return
		grep -qs ':1B58 .* 0A ' /proc/net/tcp /proc/net/tcp6 && return
		nap 0.1
	done
}
# beside NAME PROGRAM WHAT: with the server's script the program passes, prints that, and the
# script passes too
beside() {
	server "$1"
	if timeout 60 "${run[@]}" "$2" "$addr" >"$dir/out" 2>&1 && wait $! && grep -q "$3" "$dir/out"
	then
		echo "ok: the client's program, with the server's script: $1"
	else
		cat "$dir/out" "$dir/server"
		not_ok "the client's program, with the server's script: $1"
	fi
}
beside write-read "$client" 'buf+100: client wrote this'
mkdir "$dir/alone"
server by-hand
"$rdmash" -q -f "$examples/by-hand.rdma" -c "export c $dir/alone/alone.c" -- client "$addr" \
	>"$dir/log" 2>&1 || { cat "$dir/log"; not_ok "no session of one end"; }
wait $!
compile "$dir/alone/alone"
beside by-hand "$dir/alone/alone" 'wr_id 2: success'
timeout 60 "${run[@]}" "$client" "$addr" >"$dir/out" 2>&1
if [ $? = 1 ] && grep -q 'status' "$dir/out" && ! grep -q Sanitizer "$dir/out"; then
	echo "ok: nobody listens: it says so, and cleans up"
else
	cat "$dir/out"
	not_ok "the client's program, where nobody listens"
fi

# What only call makes: the program makes it, too.
if [ "${#run[@]}" != 0 ]; then
	mkdir "$dir/call"
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
	"$rdmash" -q -f "$dir/call.rdma" -c "export c $dir/call/call.c" >"$dir/log" 2>&1 || {
		cat "$dir/log"
		not_ok "what call has made is not exported"
	}
	compile "$dir/call/call"
	again call 'mr0+0: what call has made'
	for fn in ibv_open_xrcd ibv_create_cq_ex ibv_modify_srq ibv_alloc_td ibv_create_qp_ex; do
		grep -q "$fn(s\." "$dir/call/call.c" || not_ok "the program has no $fn"
	done
	# Functions that only call reaches, with every kind of argument: the programs compile.
	for name in call-each call-ep; do
		mkdir "$dir/$name"
		"$rdmash" -q -f "$(dirname "$0")/$name.rdma" -c "export c $dir/$name/$name.c" \
			>"$dir/log" 2>&1 || { cat "$dir/log"; not_ok "$name is not exported"; }
		compile "$dir/$name/$name"
	done
fi

# Of a list that the queue holds in part, what was posted is posted.
mkdir "$dir/part"
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
"$rdmash" -q -f "$dir/part.rdma" -c "export c $dir/part/part.c" \
	-c "puts [get qp0 state]" >"$dir/log" 2>&1 || {
	cat "$dir/log"
	not_ok "a list that was refused in part is not exported"
}
compile "$dir/part/part"
again part 'window+0: posted'

# What it must not do, and what it must say.
echo 'int main(void) { return 0; }' >"$dir/mine.c"
"$rdmash" -c 'pd' -c "export c $dir/mine.c" >"$dir/out" 2>&1
if ! grep -q 'not written' "$dir/out" || ! grep -q 'return 0; }' "$dir/mine.c"; then
	not_ok "a file that is not its own is overwritten"
fi
echo "pd; export c $dir/outside.c" >"$dir/client/gate.rdma"
"$rdmash" -f "$dir/client/gate.rdma" >"$dir/out" 2>&1 && not_ok "the gate is open"
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
grep -qE 'lost the beginning: 0 calls of the control path and [1-9][0-9]* of the data' "$dir/out" ||
	not_ok "it does not say what the record has lost"
if [ "${#run[@]}" != 0 ]; then
	(cd "$dir/by-hand" && cmake -B build && cmake --build build) >"$dir/out" 2>&1 ||
		{ cat "$dir/out"; not_ok "CMakeLists.txt"; }
fi
exit "$status"
