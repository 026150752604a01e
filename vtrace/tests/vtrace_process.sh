#!/bin/bash
# SPDX-License-Identifier: MIT
#
# vtrace_process.sh VTRACE UROCE PROGRAMS: what is seen of programs on the device (UROCE "": on the
# kernel's), whatever becomes of them: each call, once, as the program itself has counted them.
# PROGRAMS has traced_program, traced_mistakes and traced_dlopen.
# shellcheck source-path=SCRIPTDIR source=../../uroce/tests/checks.sh
. "$(dirname "$0")/../../uroce/tests/checks.sh"
vtrace=$1 uroce=$2 programs=$3
on=()
[ -z "$uroce" ] || on=("$uroce")
start_checks

# differences TRACE COUNTS: how often each function was called where the trace does not say what the
# program (the sum of several) has printed, polls that found nothing left out. One awk: in the machine
# of the lab the start of a program takes half a second.
differences() {
	awk 'FNR == NR {
		if ($2 == "...") { # the same N times more
			seen[name] += $5
			next
		}
		name = $2 ~ /^\[[0-9]+\]$/ ? $3 : $2
		if ($1 ~ /^[0-9:.]+$/ && name ~ /^(ibv|rdma)_[a-z_]+$/)
			seen[name]++
		next
	     }
	     { counted[$2] += $1 }
	     END {
		for (name in counted)
			if (name !~ /^ibv_(poll_cq|start_poll)$/ && counted[name] != seen[name])
				print name ": called " counted[name] ", seen " 0 + seen[name]
		for (name in seen)
			if (!(name in counted) && name !~ /^ibv_(poll_cq|start_poll)$/)
				print name ": not called, seen " seen[name]
	     }' "$1" "$2"
}

# seen WHAT STATUS OPTION ARG...: the program ends with STATUS, and its calls are seen
seen() {
	local what=$1 wanted=$2 option=$3 status
	shift 3
	# shellcheck disable=SC2086 # no option is none
	"$vtrace" $option -o "$tmp/trace" "${on[@]}" "$@" >"$tmp/counts" 2>"$tmp/err"
	status=$?
	if [ $status != "$wanted" ]; then
		not_ok "$what: status $status, not $wanted"
		cat "$tmp/err"
		return
	fi
	differences "$tmp/trace" "$tmp/counts" >"$tmp/diff"
	if [ -s "$tmp/diff" ]; then
		not_ok "$what: other calls are seen than the program has counted"
		cat "$tmp/diff"
	elif [ -s "$tmp/err" ] && [ "$what" != "an exit code" ]; then
		not_ok "$what: it says"
		cat "$tmp/err"
	else
		echo "ok: $what"
	fi
}

program=$programs/traced_program
seen "one thread" 0 "" "$program" calls 500
ok "a list of devices is named" grep -q ' ibv_get_device_list = device_list0$' "$tmp/trace"
seen "more than a ring has room for" 0 "" "$program" calls 8000
seen "four threads" 0 "" "$program" threads 4 300
seen "more threads, one after another and at a time, than there are rings" 0 "" "$program" threads 60 5
seen "the device closed and opened again" 0 "" "$program" reopen 20
seen "extended QPs and CQs" 0 "" "$program" extended 50
seen "children of children" 0 -f "$program" fork 5
seen "another program in the process" 0 "" "$program" exec 5
seen "SIGKILL in the middle" 137 "" "$program" die 200
seen "an exit code" 7 "" "$program" exit 7
seen "functions found by dlsym" 0 "" "$programs/traced_dlopen"

# polls that found nothing are counted, too, however they are put together
"$vtrace" -c -j -o "$tmp/trace" "${on[@]}" "$program" threads 3 2000 >"$tmp/counts"
grep -oE '"name":"[a-z_]+","calls":[0-9]+' "$tmp/trace" |
	sed -E 's/"name":"(.*)","calls":(.*)/\2 \1/' | sort -k 2 >"$tmp/seen"
ok "calls are counted" grep -q ' ibv_poll_cq$' "$tmp/seen"
ok "the counts of -c" diff <(sort -k 2 "$tmp/counts") "$tmp/seen"

# requests of extended QPs and completions of extended CQs are known, too
"$vtrace" -c -j -o "$tmp/trace" "${on[@]}" "$program" extended 50 >"$tmp/counts"
table=$(tail -n 1 "$tmp/trace")
# operation NAME: 50 of them in the table, none failed, and they took some time
operation() {
	local row='[{]"name":"'$1'","completions":50,"errors":0,"median_ns":([0-9]+),"p999_ns":([0-9]+)[}]'
	[[ $table =~ $row ]] && ((0 < BASH_REMATCH[1] && BASH_REMATCH[1] <= BASH_REMATCH[2]))
}
no_others() {
	[[ $table != *completions*completions*completions* && ! $table =~ '"errors":'[1-9] ]]
}
ok "the sends of extended QPs" operation SEND
ok "their receives" operation RECV
ok "no other operations, and no errors" no_others
ok "a connection that is refused" "$vtrace" -q -o "$tmp/trace" "${on[@]}" "$program" rejected 10.0.0.1
ok "the failed call is explained" grep -q 'rdma_connect: ECONNREFUSED' "$tmp/trace"
ok "what it flushes is not" test "$(grep -c FLUSH "$tmp/trace")" = 0
if [ -n "$uroce" ]; then # on rxe it ends otherwise
	"$vtrace" -q -o "$tmp/trace" "${on[@]}" "$program" refused 3 >"$tmp/counts"
	ok "what one of them has failed of" grep -q ' request  *RDMA_WRITE of 8 bytes, wr_id 77, on qp0$' "$tmp/trace"
	ok "nothing else is said" test "$(grep -c '^ *[a-z]' "$tmp/trace")" -le 5
	"$vtrace" -o "$tmp/trace" "${on[@]}" "$program" refused 3 >"$tmp/counts"
	ok "the request on the line" grep -q 'ibv_wr_rdma_write qp0 0x[0-9a-f]* 0x[0-9a-f]* {wr_id 77 wr_flags SIGNALED}$' "$tmp/trace"
fi

# two ends of librdmacm, of which one writes with a wrong rkey: nothing else is wrong
# ends OPTION...: both are traced; $tmp/trace
ends() {
	# shellcheck disable=SC2016
	"$vtrace" -f "$@" -o "$tmp/trace" "${on[@]}" timeout 60 bash -c \
		'"$0" serve 10.0.0.1 | { read -r _; exec "$0" visit 10.0.0.1 256; }' "$program" >"$tmp/counts"
}
ok "a wrong rkey" ends --timeline
ok "its cause is named" grep -q ' cause .*no region or window has the rkey' "$tmp/trace"
ok "no other is" test "$(grep -c '^ *\(possible \)\?cause ' "$tmp/trace")" = 1
ok "the states of a QP that librdmacm moves" grep -q 'qp0 RTS -> ERR (WC REM_ACCESS_ERR,' "$tmp/trace"
ok "none is left out" test "$(grep -c 'qp0 INIT -> ERR' "$tmp/trace")" = 0
ok "again, with lines" ends
ok "no members of requests that other QPs have" grep -q 'opcode SEND} = 0$' "$tmp/trace"

# mistake NAME CAUSE...: traced_mistakes makes this one, for these causes and no others
mistake() {
	local name=$1 cause
	shift
	"$vtrace" -q -o "$tmp/trace" "${on[@]}" "$programs/traced_mistakes" "$name"
	for cause; do
		ok "$name: $cause" grep -q "^ *cause  *.*$cause" "$tmp/trace"
	done
	ok "$name: $# causes" test "$(grep -c '^ *\(possible \)\?cause ' "$tmp/trace")" = $#
}
mistake states 'RESET -> RTR is not a transition' 'RESET -> RTS is not a transition'
mistake ack 'until 1 event of cq0 is acknowledged (ibv_ack_cq_events)'
mistake arm 'cq0 is not armed'
if [ -n "$uroce" ]; then # the kernel's device has other limits, and looks at the use of a channel itself
	mistake busy 'pd0 is still used by .*qp0' 'cq0 is still used by qp0' 'ch0 is still used by cq0'
	mistake srq 'srq_limit is 9999, and srq0 has room for' 'srq0 has room for [0-9]* requests' \
		'qp1 takes its receives from srq0'
	mistake overrun 'cq0 was made with cqe 4, and 64 requests' 'cq0 has overrun'
fi

# objects of a thread whose calls are not recorded, as too many are
"$vtrace" -o "$tmp/trace" "${on[@]}" "$programs/traced_mistakes" crowd
ok "a crowd: the trace is incomplete" test $? = 125
ok "and says so" grep -q ' calls were lost$' "$tmp/trace"
ok "what made them is not seen" test "$(grep -c ibv_create_qp "$tmp/trace")" = 0
ok "what another thread does with them is" grep -q ' ibv_post_send .* = E[A-Z]*$' "$tmp/trace"

# without -f the children are not seen
"$vtrace" -o "$tmp/trace" "${on[@]}" "$program" fork 5 >"$tmp/counts"
ok "the parent alone" test "$(grep -c ' ibv_open_device ' "$tmp/trace")" = 2

# what it reads and writes goes through, and the signals that are sent to vtrace
ok "stdin and stdout" test "$(echo through | "$vtrace" cat 2>/dev/null)" = through
mkfifo "$tmp/fifo"
"$vtrace" -o "$tmp/trace" "${on[@]}" "$program" hang >"$tmp/fifo" &
pid=$!
started+=("$pid")
read -r line <"$tmp/fifo"
ok "it waits" test "$line" = waiting
kill -TERM $pid
wait $pid
ok "a signal ends the program, and vtrace as the program" test $? = 143
"$vtrace" -o "$tmp/trace" "${on[@]}" "$program" hang 1 >/dev/null
ok "a signal of its own" test $? = 142
ok "the call in which it was" grep -q 'ibv_get_async_event ctx0 <unfinished ...>' "$tmp/trace"

# stops WHAT ERROR LINE N ARG...: --stop-on holds the thread N times, each after a line like LINE
stops() {
	local what=$1 error=$2 wanted=$3 n=$4 held=0 line before='' pid
	shift 4
	: >"$tmp/counts"
	exec 3< <(exec "$vtrace" --stop-on "$error" -o /dev/fd/4 "${on[@]}" "$program" "$@" \
		4>&1 >"$tmp/counts")
	pid=$!
	while read -r line; do
		case $line in
		*' is held: '*)
			# shellcheck disable=SC2053 # a pattern
			[[ $before == $wanted ]] || not_ok "$what: held after $before"
			[ ! -s "$tmp/counts" ] || not_ok "$what: the program went on"
			held=$((held + 1))
			kill -CONT "$pid"
			;;
		[0-9]*) before=$line ;;
		esac
	done <&3
	exec 3<&-
	wait "$pid"
	ok "$what: it goes on" test $? = 0
	ok "$what" test "$held" = "$n"
}
stops "an errno" EINVAL '*ibv_post_send*= EINVAL' 1 calls 3
stops "another errno" ENOMEM '' 0 calls 3
stops "a status of completions" WR_FLUSH_ERR '*ibv_poll_cq*WR_FLUSH_ERR*' 3 flush 3
# several threads at a time: each is named
: >"$tmp/held"
"$vtrace" --stop-on EINVAL -o /dev/fd/4 "${on[@]}" "$program" threads 6 1 4>&1 >/dev/null | {
	while read -r line; do
		[[ $line == *' is held: '* ]] || continue
		echo "$line" >>"$tmp/held"
		kill -CONT "$(sed -n "s/.*'kill -CONT \([0-9]*\)'.*/\1/p" <<<"$line")"
	done
}
ok "each of six threads is named" test "$(sed -n 's/.*: thread \([0-9]*\) of.*/\1/p' "$tmp/held" | sort -u | wc -l)" = 6
stops "any error" any '*ibv_poll_cq*WR_FLUSH_ERR*' 2 flush 2
status=0
"$vtrace" --stop-on EINVOL true 2>"$tmp/err" || status=$?
ok "no such error" test "$status" = 2
ok "it is named, too" grep -q "'EINVOL'" "$tmp/err"

# what cannot be seen is said
ok "a program that calls nothing" grep -q 'no call of libibverbs or librdmacm was seen' <("$vtrace" true 2>&1)
status=0
"$vtrace" "$tmp/none" 2>"$tmp/err" || status=$?
ok "no such program" test "$status" = 127
ok "it is named" grep -q "$tmp/none: No such file" "$tmp/err"
if [ -n "$uroce" ]; then
	# the program that uroce has become is named, not uroce
	"$vtrace" -q "${on[@]}" "$program" visit 10.0.0.1 1 2>"$tmp/err" >/dev/null && not_ok "it has an exit code"
	ok "who has ended" grep -q 'traced_program ended with exit code' "$tmp/err"
	# as where there is no device, and uroce is not in front
	env -u RDMASH_DEVICE "$vtrace" "$program" calls 1 2>"$tmp/err" >/dev/null
	ok "no device: what to do" grep -q 'next: uroce vtrace PROGRAM' "$tmp/err"
fi
finish
