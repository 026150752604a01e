#!/bin/bash
# SPDX-License-Identifier: MIT
# stuck.sh VTRACE PROGRAM ROUGH: vtrace --stuck says what a program that hangs waits for, and why; and what
# was not completed when a signal ended it. On uroce.
set -u
vtrace=$1 program=$2 rough=$3
failures=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

bad() {
	echo "not ok: $*"
	sed 's/^/    /' "$work/said"
	failures=$((failures + 1))
}

# hangs CASE EXPRESSION...: what is said of it, each in a line; then all of its process group are ended, as
# a terminal does with Ctrl-C; by=KILL: the program alone
hangs() {
	local case=$1 tracer re
	shift
	: >"$work/said"
	setsid "$UROCE" "$vtrace" -q --stuck 300ms -o "$work/said" "$program" 10.0.0.1 "$case" >"$work/out" 2>&1 &
	tracer=$!
	for _ in $(seq 600); do
		grep -qE '^ *(possible )?cause ' "$work/said" && break
		kill -0 "$tracer" 2>/dev/null || break
		sleep 0.05
	done
	if [ "${by-}" = KILL ]; then
		pkill -KILL -P "$tracer"
	else
		kill -TERM -- "-$tracer"
	fi
	wait "$tracer"
	for re in 'makes no progress' "$@"; do
		grep -Eq -- "$re" "$work/said" || bad "$case: '$re' is not said"
	done
	# on a busy machine it may have stood still before, and gone on
	[ "$(sed '1,/^ *\(possible \)\?cause /d' "$work/said" | grep -c 'makes no progress')" = 0 ] ||
		bad "$case: it is said again and again"
}

# ended EXPRESSION...: what is said of the last case after the signal that ended it
ended() {
	local re
	sed -n '/has not returned$\|\(is being\|was\) ended while this wait/,$p' "$work/said" >"$work/end"
	for re in "$@"; do
		grep -Eq -- "$re" "$work/end" || bad "after the signal '$re' is not said"
	done
}

hangs armed_late 'thread 0 .*ibv_get_cq_event' 'cq1 +1 completion waits in it, of 64 at most; armed' \
	'cause +cq1 was armed when its 1 completion had come'
hangs solicited 'ibv_get_cq_event' 'armed for solicited ones' 'cause +cq1 is armed for solicited completions only'
hangs no_receive 'qp0 +SEND wr_id 17, posted [0-9.]+ s ago, is the oldest of 1 send whose completion was not taken' \
	'was repeated [0-9]+ times?, because the peer has no receive' \
	'cause .*qp1, the peer.s QP, has no receive posted: qp0 tries again for ever \(rnr_retry 7\)' \
	'cause +qp1 has no receive posted for a message of its peer: it has refused requests [0-9]+ times?' \
	'is being ended while this waits'
ended 'was repeated [0-9]+ times?, because the peer has no receive' 'cause .*qp1, the peer.s QP, has no receive posted'
hangs empty_srq 'SEND wr_id 17, posted [0-9.]+ s ago, is the oldest of 3 sends of 3 QPs whose completion was not taken' \
	'cause +the SRQ of qp5 has no receive posted for a message of its peer: qp5 has refused requests [0-9]+ times?' \
	'^ +and so for 2 more'
hangs no_channel 'cause +cq0 was armed, and was made without a completion channel'
hangs idle_limit 'possible cause +the srq_limit that srq0 was made with has no effect'
hangs open_poll 'cause +the poll of cq1 that was begun was not ended .ibv_end_poll.'
hangs acknowledged_two 'thread 0 .*ibv_destroy_cq' \
	'cause +ibv_destroy_cq waits for ever: ibv_ack_cq_events of cq1 was told of 1 event more than the program has got'
in_vain='possible cause +cq0 is polled in vain: no request that completes into it is outstanding. 1 of its completions was taken by another thread'
hangs pollers "$in_vain"
ended "$in_vain"
not_acknowledged='cause +rdma_migrate_id waits until 1 event of .* is acknowledged \(rdma_ack_cm_event\)'
hangs migrate 'thread 0 .*rdma_migrate_id' "$not_acknowledged"
ended "$not_acknowledged"
hangs unread 'thread 0 .*rdma_get_cm_event' \
	'cause +1 event of id0 waits in .*1, and no thread is in rdma_get_cm_event'
ended 'cause +1 event of id0 waits in .*1, and no thread is in rdma_get_cm_event'
by=KILL hangs unread
ended 'possible cause +the event after rdma_resolve_route of id0 comes in .*1, not in .*0'
hangs unanswered 'possible cause +id[0-9], a connection request, was neither accepted nor rejected'
hangs half_closed 'possible cause +rdma_disconnect of id[0-9] has no answer: the peer has not called rdma_disconnect'
hangs group 'cause +rdma_leave_multicast waits until the events of the group are acknowledged \(rdma_ack_cm_event\), and 1 of id0 is not'
built='cause +1 request of qp0 was built since ibv_wr_start, and neither ibv_wr_complete nor ibv_wr_abort was called'
hangs built "$built"
ended "$built"
hangs locked 'thread 0 .*ibv_wr_start' "$built"
ended "$built"
hangs unsignaled 'possible cause +no send of qp0 makes a completion: none had IBV_SEND_SIGNALED, and its sq_sig_all is 0'
hangs draining 'cause +qp0 is in SQD: send queue draining or drained: new sends wait'
hangs not_ready 'possible cause +qp2 is in INIT: RECVs may be posted; packets are dropped'
hangs timeout_0 'cause +timeout 0 of qp0 waits for an answer for ever'

# a crash within a call, unless a sanitizer has said it before
ulimit -c 0
crashes() { # CASE TEXT
	"$UROCE" "$vtrace" -q -o "$work/said" "$program" 10.0.0.1 "$1" >"$work/out" 2>&1
	grep -q AddressSanitizer "$work/out" || grep -q "cause  *$2" "$work/said" ||
		bad "$1, a crash: '$2' is not said"
}
crashes destroyed_twice 'ibv_dereg_mr was given mr0, which was destroyed before'
crashes acknowledged_twice 'rdma_ack_cm_event was given an event that was acknowledged before'

# a program that goes on, while vtrace was stopped for longer than that: what it has called meanwhile
# is read late, and is no standstill
"$UROCE" "$vtrace" -q --stuck 200ms -o "$work/said" "$rough" 10.0.0.1 busy >"$work/out" 2>&1 &
tracer=$!
for _ in 1 2 3; do
	sleep 0.5
	kill -STOP "$tracer"
	sleep 0.5
	kill -CONT "$tracer"
done
sleep 0.5
kill -TERM "$tracer"
wait "$tracer"
status=$?
[ "$status" = 143 ] || bad "vtrace of a busy program ended with $status"
grep -q 'makes no progress' "$work/said" && bad 'a busy program makes no progress'

"$vtrace" --stuck 5x true 2>"$work/said" && bad "5x is taken for a time"
grep -q "'5x' is no time" "$work/said" || bad "what 5x is not"
[ "$failures" = 0 ] && echo ok
exit $((failures > 0))
