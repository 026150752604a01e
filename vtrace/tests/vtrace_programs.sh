#!/bin/bash
# SPDX-License-Identifier: MIT
#
# vtrace_programs.sh VTRACE UROCE: programs of others, both ends traced, on the device (UROCE "": on the
# kernel's). They do the same as without
# it, and their calls are those that their options ask for: N messages are N posts, and N
# completions.
# shellcheck source-path=SCRIPTDIR source=../../uroce/tests/checks.sh
. "$(dirname "$0")/../../uroce/tests/checks.sh"
# shellcheck source=../../scripts/tests/wait.sh
. "$(dirname "$0")/../../scripts/tests/wait.sh"
need rping ibv_rc_pingpong ib_write_bw
vtrace=$1 uroce=$2
address=10.0.0.1
on=()
[ -z "$uroce" ] || on=("$uroce")
start_checks

# Where both ends poll on the one processor of the lab's machine, each waits for the other's time slice:
# with events it waits for its message.
events=()
[ -n "$uroce" ] || events=(-e)

# pair WHAT PORT SERVER CLIENT
pair() {
	local what=$1 port=$2 server=$3 client=$4 pid
	# shellcheck disable=SC2086 # words
	timeout 60 "$vtrace" -o "$tmp/server" "${on[@]}" $server >"$tmp/said" 2>&1 &
	pid=$!
	started+=("$pid")
	await_port "$port" "$pid"
	# shellcheck disable=SC2086
	ok "$what: the client" timeout 60 "$vtrace" -o "$tmp/client" "${on[@]}" $client
	ok "$what: the server" wait "$pid"
}

# calls END PATTERN N: so many lines, and equal ones that were counted instead
calls() {
	local n
	n=$(awk -v pattern="$2" '/ \.\.\. the same [0-9]+ times? more$/ { n += is * $5; next }
		{ n += is = $0 ~ pattern } END { print n + 0 }' "$tmp/$1")
	if [ "$n" = "$3" ]; then echo "ok: $1: $3 of $2"; else not_ok "$1: $n of $2, not $3"; fi
}

# completions END OPCODE N; zero, the first of each enum, is not written
completions() {
	local n
	n=$(awk -v opcode="$2" '$2 == "ibv_poll_cq" {
		for (i = split($0, wc, "status SUCCESS"); i > 1; i--) {
			is = "SEND"
			if (match(wc[i], /^[^}]*opcode [A-Z_]+/)) {
				is = substr(wc[i], 1, RLENGTH)
				sub(/.*opcode /, "", is)
			}
			n += is == opcode
		}
	} END { print n + 0 }' "$tmp/$1")
	if [ "$n" = "$3" ]; then echo "ok: $1: $3 completions of $2"; else
		not_ok "$1: $n completions of $2, not $3"; fi
}

pingpong="ibv_rc_pingpong ${events[*]} -g 0 -n 200 -r 50"
pair ibv_rc_pingpong 18515 "$pingpong" "$pingpong $address"
for end in server client; do
	calls $end ' ibv_post_send qp0 .*opcode SEND' 200
	ok "$end: equal lines are counted" grep -qE '\.\.\. the same [0-9]+ times? more$' "$tmp/$end"
	completions $end SEND 200
	completions $end RECV 200
done

bw="ib_write_bw -x 0 -p 18516 -n 500 -s 1024"
pair ib_write_bw 18516 "$bw" "$bw $address"
calls client ' ibv_post_send qp0 .*opcode RDMA_WRITE' 500
calls server ' ibv_post_send ' 0

# by_cm WHAT SERVER CLIENT: connected by messages of the device, which no table of ports has
by_cm() {
	local what=$1 server=$2 client=$3 pid
	rm -f "$tmp/server"
	# shellcheck disable=SC2086 # words
	timeout 60 sh "$(dirname "$0")/raced.sh" "$vtrace" -o "$tmp/server" "${on[@]}" $server \
		>"$tmp/said" 2>&1 &
	pid=$!
	started+=("$pid")
	until in_file "$tmp/server" rdma_listen; do
		kill -0 "$pid" || break
		nap 0.05
	done
	# shellcheck disable=SC2086
	ok "$what: the client" timeout 60 "$vtrace" -o "$tmp/client" "${on[@]}" $client
	ok "$what: the server" wait "$pid"
}

by_cm rping "rping -s -a $address -C 5" "rping -c -a $address -C 5"
for end in server client; do
	calls $end 'rdma_get_cm_event ec[0-9] = id[0-9] ESTABLISHED' 1
	calls $end ' ibv_reg_mr ' "$(grep -c ' ibv_dereg_mr ' "$tmp/$end")"
done
calls client ' ibv_post_send qp0 .*opcode SEND' 10
calls server ' ibv_post_send qp0 .*opcode SEND' 10
calls server ' ibv_post_send qp0 .*opcode RDMA_READ' 5
calls server ' ibv_post_send qp0 .*opcode RDMA_WRITE' 5

by_cm ucmatose "ucmatose -b $address -c 2 -C 10" "ucmatose -s $address -c 2 -C 10"
for end in server client; do
	calls $end ' ibv_post_send .*opcode SEND' 20
	calls $end 'rdma_get_cm_event ec[0-9] = id[0-9] ESTABLISHED' 2
done

# refused CAUSE COMMAND...: an option is wrong, and this (an expression) is the only cause that is
# named
refused() {
	local cause=$1
	shift
	timeout 60 "$vtrace" -q -o "$tmp/causes" "${on[@]}" "$@" >"$tmp/said" 2>&1
	ok "$*: $cause" grep -qE "^ +cause +$cause\$" "$tmp/causes"
	ok "$*: no other cause" test "$(grep -c 'cause  ' "$tmp/causes")" = 1
}

if [ -n "$uroce" ]; then # the limits are those of its device
	refused 'PORT 5: the device has 1 port, counted from 1' ibv_rc_pingpong -i 5
	refused "max_recv_wr 100000 is more than the device's limit 16384 \\(max_qp_wr\\)" ibv_rc_pingpong -r 100000
	refused 'length is 0: a region has at least one byte' ibv_rc_pingpong -s 0
	refused 'index is 99: .* entries 0 to 63 .*' ibv_rc_pingpong -g 99
fi

timeout 60 "$vtrace" -q -o "$tmp/causes" "${on[@]}" rping -c -a $address -p 7999 -C 1 >"$tmp/said" 2>&1
ok "rping without a server: the event" in_file "$tmp/causes" \
	'rdma_get_cm_event: REJECTED, status 8 INVALID_SERVICE_ID'

# Programs that load the libraries themselves, start others, or call them from another language
if command -v fi_pingpong >/dev/null; then
	# one size: of its own choice each is some seconds on the kernel's device
	pingpong="fi_pingpong -p verbs -e msg -I 20 -S 1024"
	pair fi_pingpong 47592 "$pingpong" "$pingpong $address"
	ok "fi_pingpong: it has sent" grep -q ' ibv_post_send .*opcode SEND' "$tmp/client"
else
	echo "no fi_pingpong here"
fi
if compgen -G '/usr/lib/python3/dist-packages/pyverbs/device.*' >/dev/null; then
	cat >"$tmp/pyverbs" <<-'PYTHON'
		from pyverbs.device import Context, get_device_list
		from pyverbs.pd import PD
		from pyverbs.mr import MR
		context = Context(name=get_device_list()[0].name.decode())
		pd = PD(context)
		regions = [MR(pd, 4096, 1) for i in range(3)]
	PYTHON
	ok "pyverbs" timeout 60 "$vtrace" -o "$tmp/server" "${on[@]}" /usr/bin/python3 "$tmp/pyverbs"
	calls server ' ibv_reg_mr(_iova2)? pd0 0x[0-9a-f]* 4096 .*LOCAL_WRITE = mr[012]' 3
else
	echo "no pyverbs here"
fi
# (UCX fails with itself on rxe, traced or not)
if [ -n "$uroce" ] && command -v mpirun >/dev/null && [ -e /usr/lib/x86_64-linux-gnu/libucp.so.0 ]; then
	ok "MPI" timeout 100 "$vtrace" -f -o "$tmp/server" "${on[@]}" mpirun --allow-run-as-root --oversubscribe \
		-np 2 --mca pml ucx -x UCX_TLS=rc_v,self -x UCX_NET_DEVICES=uroce0:1 \
		python3 "$(dirname "$0")/../../scripts/programs.d/mpi.py"
	ok "MPI: two ranks have posted" test \
		"$(grep -oE '\[[0-9]+\] ibv_post_send' "$tmp/server" | sort -u | wc -l)" = 2
else
	echo "MPI with UCX: not here"
fi
finish
