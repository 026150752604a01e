#!/bin/bash
# SPDX-License-Identifier: MIT
# inject.sh VTRACE UROCE DIRECTORY: vtrace --inject. UROCE "": the programs are on the kernel's device.
# shellcheck source-path=SCRIPTDIR
set -u
vtrace=$1
programs=$3
program=$programs/injected_calls
traced=$3/traced_program
run=()
[ -n "$2" ] && run=("$2")
. "$(dirname "$0")/rig.sh"

# inject EXPECTED RULE...: the program says the line that is expected
inject() {
	local expected=$1 rules=()
	shift
	for rule; do rules+=(--inject "$rule"); done
	timeout 60 "${run[@]}" "$vtrace" -o "$work/trace" "${rules[@]}" "$program" >"$work/out" 2>"$work/err" ||
		fail "$*: ended with $?: $(cat "$work/err")"
	grep -qFx -- "$expected" "$work/out" || fail "$*: no '$expected' in: $(cat "$work/out")"
}

# Each function fails as its man page says.
"${run[@]}" "$program" >"$work/plain"
while IFS='|' read -r rule line call; do
	grep -qFx -- "$line" "$work/plain" && fail "without $rule there is '$line', too"
	inject "$line" "$rule"
	grep -q "$call.*(injected)" "$work/trace" || fail "$rule: not marked: $(cat "$work/trace")"
	grep -qF "made on purpose: --inject $rule;" "$work/trace" || fail "$rule: not explained: $(cat "$work/trace")"
	grep -A3 '(injected)' "$work/trace" | grep -q "cause  " && fail "$rule: causes are guessed: $(cat "$work/trace")"
done <<'ROWS'
ibv_reg_mr:error=ENOMEM:when=1|ibv_reg_mr NULL ENOMEM|ibv_reg_mr 
ibv_reg_mr:error=ENOMEM:when=2|ibv_reg_mr NULL ENOMEM|ibv_reg_mr_iova2
ibv_reg_mr_iova:error=EINVAL|ibv_reg_mr_iova NULL EINVAL|ibv_reg_mr_iova2
ibv_modify_qp:error=ETIMEDOUT|ibv_modify_qp ETIMEDOUT -|ibv_modify_qp
ibv_post_recv:error=ENOMEM|ibv_post_recv ENOMEM -|ibv_post_recv
ibv_post_recv:error=EINVAL|bad_wr the first|ibv_post_recv
ibv_poll_cq:error=EIO|ibv_poll_cq -1 EIO|ibv_poll_cq
ibv_query_gid:error=ENODATA|ibv_query_gid -1 ENODATA|ibv_query_gid
rdma_create_event_channel:error=EMFILE|rdma_create_event_channel NULL EMFILE|rdma_create_event_channel
rdma_get_devices:error=ENOMEM|devices 0|rdma_get_devices
rdma_create_id:error=ENOMEM|rdma_create_id -1 ENOMEM|rdma_create_id
ibv_destroy_cq:error=EBUSY|ibv_destroy_cq EBUSY -|ibv_destroy_cq
ROWS
if [ -n "$2" ]; then # the lock of a QP that was started is released
	inject "ibv_wr_complete ENOMEM -" ibv_wr_complete:error=ENOMEM
	[ "$(grep -c "ibv_wr_complete ENOMEM" "$work/out")" = 2 ] || fail "ibv_wr_complete: $(cat "$work/out")"
fi

# requests that the device fails
if [ -n "$2" ]; then
	exec 3< <(exec timeout 60 "${run[@]}" "$traced" serve 10.0.0.1 2>&1)
	server=$!
	read -r -u 3 _
	"${run[@]}" "$vtrace" --must-inject --inject wc:status=RNR_RETRY_EXC_ERR:opcode=SEND -o "$work/trace" \
		"$traced" visit 10.0.0.1 >"$work/out" 2>&1
	[ $? = 1 ] || fail "wc: the program has not failed: $(cat "$work/out")"
	grep -q 'status RNR_RETRY_EXC_ERR' "$work/trace" || fail "wc: no such completion: $(cat "$work/trace")"
	grep -q 'cause  .*it has failed on purpose: rule 1' "$work/trace" || fail "wc: $(cat "$work/trace")"
	grep -q 'has hit nothing' "$work/out" && fail "wc: $(cat "$work/out")"
	kill "$server" 2>/dev/null
	wait "$server" 2>/dev/null
	exec 3<&-

	# events: the descriptor is readable, the event true, and its rule named
	while IFS='|' read -r rules expected; do
		read -ra words <<<"$rules"
		read -ra awaited <<<"${expected%%:*}"
		where=10.0.0.1
		[[ $rules != event:* ]] || where=uroce0 # a device that fails while it connects is another story
		timeout 60 "${run[@]}" "$vtrace" --must-inject -o "$work/trace" "${words[@]/#/--inject=}" \
			"$programs/injected_events" "$where" "${awaited[@]}" >"$work/out" 2>"$work/err" ||
			fail "$rules: ended with $?: $(cat "$work/out" "$work/err")"
		[[ "$(tr '\n' ' ' <"$work/out")" = *"${expected#*:} "* ]] ||
			fail "$rules: no '${expected#*:}' in: $(cat "$work/out")"
		grep -qF "made on purpose: --inject ${words[-1]}" "$work/trace" || fail "$rules: $(cat "$work/trace")"
		grep -q '(injected)' "$work/trace" || fail "$rules is not marked: $(cat "$work/trace")"
		grep -q 'cause  ' "$work/trace" && fail "$rules: causes are guessed: $(cat "$work/trace")"
	done <<'ROWS'
cm:REJECTED:reason=10|REJECTED:cm REJECTED 10
cm:UNREACHABLE|UNREACHABLE:cm UNREACHABLE -110
cm:DISCONNECTED:after=20ms|DISCONNECTED 2:cm DISCONNECTED 0 cm DISCONNECTED 0
event:PORT_ERR:after=50ms|PORT_ERR:async PORT_ERR 1
event:PORT_ERR:after=50ms event:PORT_ACTIVE:after=60ms|PORT_ACTIVE:async PORT_ACTIVE 4
event:DEVICE_FATAL:after=50ms|DEVICE_FATAL:async DEVICE_FATAL 0
ROWS
	# of two devices, the rule that has made the event of this one: the first one has made one, too
	if ip link add w0 type veth peer name w1 2>/dev/null && ip addr add 10.9.0.1/24 dev w0 &&
		ip link set w1 up && ip link set w0 up; then
		UROCE_DEVICES=uroce0:lo,uroce1 timeout 60 "${run[@]}" "$vtrace" --must-inject -o "$work/trace" \
			--inject event:PORT_ERR:device=uroce1 --inject event:PORT_ERR:device=uroce0:after=50ms \
			"$programs/injected_events" uroce0 PORT_ERR >"$work/out" 2>"$work/err" ||
			fail "two devices: ended with $?: $(cat "$work/out" "$work/err")"
		grep -qF 'made on purpose: --inject event:PORT_ERR:device=uroce0:after=50ms' "$work/trace" ||
			fail "two devices: $(cat "$work/trace")"
		ip link del w0
	fi
	timeout 60 "$vtrace" --inject @/dev/zero true 2>"$work/said"
	grep -q '^vtrace: /dev/zero: a line is no text' "$work/said" || fail "rules that never end"
	"${run[@]}" "$vtrace" --inject event:PORT_ERR:device=urocee0 true 2>"$work/said"
	[ $? = 2 ] || fail "a device that is not there is taken"
	grep -q 'device=urocee0: there is uroce0' "$work/said" || fail "no such device: $(cat "$work/said")"
	UROCE_FAULT='drop=0%;wc:status=RETRY_EXC_ERR:opcode=RECV' "${run[@]}" "$program" >"$work/out" 2>&1 &&
		fail "UROCE_FAULT: a rule about receives is taken"
	grep -q "UROCE_FAULT: 'RECV' is no opcode of a request that can be made to fail" "$work/out" ||
		fail "UROCE_FAULT: $(cat "$work/out")"
fi

# A request that has failed, and what follows: the second of four WRITEs, one behind them, one after RESET.
writes() {
	timeout 60 "${run[@]}" "$vtrace" -q --must-inject --inject "$1" -o "$work/trace" "$programs/injected_writes" "$2" \
		>"$work/out" 2>"$work/said"
}
writes wc:status=RETRY_EXC_ERR:opcode=RDMA_WRITE:when=2 "" || fail "wc: ended with $?: $(cat "$work/said")"
# The device sends neither it nor those behind it; others have sent all.
effects() { # STATUS WRITTEN
	printf '%s\n' '1 status 0' "2 status $1" '3 status 5' '4 status 5' 'state 6' "written $2" '5 status 5' '6 status 0'
}
effects 12 "$([ -n "$2" ] && echo 1 || echo 4)" | diff - "$work/out" || fail "wc: $(cat "$work/trace")"
grep -q 'cause  .*it has failed on purpose: rule 1' "$work/trace" || fail "wc: $(cat "$work/trace")"
number=0
for status in LOC_LEN_ERR LOC_QP_OP_ERR '' LOC_PROT_ERR '' MW_BIND_ERR BAD_RESP_ERR LOC_ACCESS_ERR REM_INV_REQ_ERR \
	REM_ACCESS_ERR REM_OP_ERR RETRY_EXC_ERR RNR_RETRY_EXC_ERR '' '' REM_ABORT_ERR '' '' FATAL_ERR RESP_TIMEOUT_ERR \
	GENERAL_ERR; do
	number=$((number + 1))
	[ -n "$status" ] || continue
	if [ -n "$2" ]; then
		UROCE_FAULT=wc:status=$status:when=2 timeout 60 "${run[@]}" "$programs/injected_writes" >"$work/out"
		effects $number 1 | diff - "$work/out" || fail "wc: $status"
	elif [ $status != RETRY_EXC_ERR ]; then
		"$vtrace" --inject wc:status=$status true 2>"$work/said" && fail "wc: $status is taken without uroce0"
		grep -q 'has sent the request already' "$work/said" || fail "wc: $status: $(cat "$work/said")"
	fi
done
if [ -z "$2" ]; then # what another device cannot be made to say
	for how in unsignaled built; do
		writes wc:status=RETRY_EXC_ERR $how
		[ $? = 124 ] || fail "wc: $how requests: $(cat "$work/out")"
		grep -q 'has hit nothing: a QP had unsignaled requests' "$work/said" || fail "wc, $how: $(cat "$work/said")"
	done
	writes wc:status=RETRY_EXC_ERR:opcode=RDMA_READ extended
	grep -q 'no ibv_create_cq_ex\|has hit nothing: completions were read by ibv_start_poll' "$work/out" "$work/said" ||
		fail "wc: $(cat "$work/said")"
fi

# which ones: of 8 receives
hit() {
	"${run[@]}" "$vtrace" --inject "ibv_post_recv:delay=1us:when=$1" -o "$work/trace" "$traced" calls 8 >/dev/null
	grep ibv_post_recv "$work/trace" | grep -n '(delayed)' | cut -d: -f1 | tr '\n' ' '
}
while IFS='|' read -r when which; do
	[ "$(hit "$when")" = "$which" ] || fail "when=$when hits $(hit "$when")"
done <<'ROWS'
3|3 
3+|3 4 5 6 7 8 
2..4|2 3 4 
ROWS

# a delay takes that long, and a seed repeats what was drawn
"${run[@]}" "$vtrace" -j --inject ibv_post_recv:delay=50ms:when=2 -o "$work/json" "$traced" calls 3 >/dev/null
python3 - "$work/json" <<'PYTHON' || fail "delay: $(cat "$work/json")"
import json, sys
calls = [json.loads(line) for line in open(sys.argv[1])]
posts = [c for c in calls if c.get("call") == "ibv_post_recv"]
assert posts[1]["ns"] >= 50000000 and posts[1]["injected"] == "ibv_post_recv:delay=50ms:when=2", posts[1]
assert "injected" not in posts[0], posts[0]
PYTHON
drawn() {
	"${run[@]}" "$vtrace" --seed "$1" --inject ibv_post_recv:delay=1us:chance=50% -o "$work/trace" \
		"$traced" calls 32 >/dev/null 2>"$work/said"
	grep ibv_post_recv "$work/trace" | grep -n '(delayed)' | cut -d: -f1 | tr '\n' ' '
}
first=$(drawn 7)
[ "$first" = "$(drawn 7)" ] || fail "--seed 7 is not repeated: $first, $(drawn 7)"
[ "$first" != "$(drawn 8)" ] || fail "--seed 8 is --seed 7"
drew=$(wc -w <<<"$first")
if ((drew < 5 || drew > 27)); then fail "50% of 32 are: $first"; fi
grep -q -- '--seed 8 repeats' "$work/said" || fail "the seed is not said: $(cat "$work/said")"

# rules of a file; what has hit nothing
printf '%s\n' '# two rules' '' ' ibv_alloc_pd:delay=1us ' 'ibv_post_recv:error=ENOMEM:when=9' >"$work/rules"
"${run[@]}" "$vtrace" --must-inject --inject "@$work/rules" -o "$work/trace" "$traced" calls 3 >/dev/null 2>"$work/said"
[ $? = 124 ] || fail "--must-inject: no exit code of its own: $(cat "$work/said")"
grep -q "'ibv_post_recv:error=ENOMEM:when=9' has hit nothing: of that kind there were 3 calls" "$work/said" ||
	fail "what has hit nothing is not said: $(cat "$work/said")"
grep -q 'ibv_alloc_pd.*(delayed)' "$work/trace" || fail "@FILE: $(cat "$work/trace")"
grep -q 'ibv_alloc_pd:' "$work/said" && fail "a rule that has hit is said, too: $(cat "$work/said")"
"${run[@]}" "$vtrace" --must-inject --inject ibv_alloc_pd:delay=1us -o "$work/trace" "$traced" exit 0 >/dev/null 2>&1
[ $? = 124 ] || fail "a program that calls nothing has hit a rule"

# a child counts for itself
"${run[@]}" "$vtrace" -f --inject ibv_post_recv:delay=1us:when=2 -o "$work/trace" "$traced" fork 3 >/dev/null
[ "$(grep -c '(delayed)' "$work/trace")" = 3 ] || fail "three processes: $(grep delayed "$work/trace")"

# mistakes are named
while IFS='|' read -r rule said; do
	"$vtrace" --inject "$rule" true 2>"$work/said"
	[ $? = 2 ] || fail "'$rule' is taken"
	grep -qF -- "$said" "$work/said" || fail "'$rule': $(cat "$work/said")"
done <<'ROWS'
ibv_reg_mrr:error=EINVAL|'ibv_reg_mrr' is no function: did you mean ibv_reg_mr?
ibv_reg_mr:error=EXDEV|ibv_reg_mr does not give EXDEV, but ENOMEM,
ibv_reg_mr:error=ENOMM|'ENOMM' is no errno: did you mean ENOMEM?
ibv_reg_mr:eror=ENOMEM|'eror' is no word of such a rule: did you mean error?
ibv_reg_mr:error|error has no value
ibv_reg_mr|neither error= nor delay=
ibv_reg_mr:error=ENOMEM:when=0|when=0: write 3
ibv_reg_mr:error=ENOMEM:when=5..2|when=5..2: write 3
ibv_reg_mr:delay=5|delay=5: not a time
ibv_reg_mr:delay=1ms:chance=7|chance=7: not a probability
ibv_wr_send:error=EINVAL|ibv_wr_send cannot fail in a correct program
@/nowhere/rules|/nowhere/rules: No such file
ROWS
"$vtrace" --inject cm:REJECTED true 2>"$work/said" && fail "a connection is to fail without uroce0"
grep -q 'only uroce0 can make that come true' "$work/said" || fail "cm: $(cat "$work/said")"
"$vtrace" --seed 0 --inject ibv_reg_mr:error=ENOMEM true 2>"$work/said" && fail "--seed 0 is taken"
grep -q "'0' is not a number" "$work/said" || fail "--seed: $(cat "$work/said")"
inject "ibv_reg_mr NULL EXDEV" ibv_reg_mr:error=EXDEV:force

exit $failed
