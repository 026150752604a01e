#!/bin/bash
# SPDX-License-Identifier: MIT
# check_views.sh VTRACE DIR STATIC: how vtrace --check says what it has found, of programs in DIR, on the
# embedded device (UROCE: the command in front). STATIC: a program that is linked statically.
set -u
vtrace=$1
dir=$2
static=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export ASAN_OPTIONS="detect_leaks=0${ASAN_OPTIONS:+:$ASAN_OPTIONS}"
failed=0

# check NAME STATUS PROGRAM CASE OPTION...: runs it; what it says is in $work/said.
check() {
	local name=$1 expected=$2 program=$3 case=$4
	shift 4
	timeout 60 "$UROCE" "$vtrace" "$@" -o "$work/said" "$dir/$program" 10.0.0.1 "$case" >"$work/out" 2>&1
	status=$?
	[ $status = "$expected" ] || fail "$name: exit code $status, not $expected"
}

fail() {
	echo "FAILED: $*"
	sed 's/^/    /' "$work/said" "$work/out"
	failed=1
}

# says NAME EXPRESSION...: each is in a line.
says() {
	local name=$1 e
	shift
	for e; do
		grep -qE -- "$e" "$work/said" || fail "$name: '$e' is not said"
	done
}

check text 0 buffers ring_too_early --check
says text '^vtrace: mistake \[send-changed\]: ' '^    found in ibv_poll_cq at .*case_rig\.h:[0-9]+ in await_within\(\)$' \
	'^    the RDMA_WRITE, wr_id [0-9]+ \(64 bytes\) was posted by ibv_post_send at .*pair\.h:[0-9]+ in post_from\(\)$' \
	'^    see     ibv_post_send\(3\)$' '^    remedy  poll ' '^vtrace: \[send-changed\] .*: 36 times$' \
	'^vtrace: 1 mistake, 0 that may be, 0 of advice, 0 suppressed, in [0-9]+ calls$'

check exit 99 buffers ring_too_early --check --check-exit
check correct 0 buffers ring --check --check-exit
says correct '^vtrace: 0 mistakes, 0 that may be, '
check forked 0 objects forked --check -f
says forked '^vtrace: 0 mistakes, '
check chosen 0 buffers ring_too_early --check=leak,gone --check-exit
says chosen '^vtrace: 0 mistakes, '
check without 0 buffers ring_too_early --check=-send-changed --check-exit
check field_alone 0 others imm_always --check=wc-field
says field_alone '^vtrace: mistake \[wc-field\]: ' 'without IBV_WC_WITH_IMM in its flags$'
check freed_alone 0 memory unmap_recv_posted --check=freed
says freed_alone '^vtrace: mistake \[freed\]: '
# AddressSanitizer has a free() of its own, behind which nobody sees it
sees_free() { ! nm -D "$dir/memory" | grep -q __asan_init; }
check freed_often 0 memory post_freed_often --check=freed
! sees_free || says freed_often '^vtrace: may be a mistake \[freed\]: '
! grep ' times$' "$work/said" || fail "freed_often: a block that was freed several times is told several times"
check forking 0 memory fork_meanwhile --check -f
says forking '^vtrace: 0 mistakes, '
check advice 0 queues recv_overlap --check=all --check-exit
says advice '^vtrace: advice \[recv-overlap\]: ' ' 1 of advice'
check wrong 2 buffers ring --check=nonsense
grep -q "no rule is called 'nonsense'" "$work/out" || fail "the wrong rule is not named"

# as JSON, which a program can read
check json 0 events arm_late --check --json
python3 - "$work/said" <<'END' || fail "json"
import json, sys
lines = [json.loads(line) for line in open(sys.argv[1])]
found = [l for l in lines if "check" in l]
assert len(found) == 1, found
f = found[0]
assert f["check"] == "arm-race" and f["grade"] == "may be a mistake" and f["object"] == "cq2", f
assert "events.c:" in f["places"][0]["place"] and f["sure"], f
assert [at["call"] for at in f["places"]] == ["ibv_get_cq_event", "ibv_req_notify_cq", "ibv_create_cq"], f
assert lines[-1]["may"] == 1 and lines[-1]["mistakes"] == 0, lines[-1]
END

check junit 0 objects mrs_left --check --junit "$work/junit.xml"
python3 - "$work/junit.xml" <<'END' || fail "junit"
import sys, xml.etree.ElementTree as tree
suite = tree.parse(sys.argv[1]).getroot()[0]
cases = {c.get("name"): c for c in suite}
assert int(suite.get("tests")) == len(list(suite)) and suite.get("failures") == "2", suite.attrib
assert cases["leak"].find("failure") is not None and cases["gone"].find("failure") is None
END

# by the name of an object, by a place in the source
printf '# known\nleak pd*\nleak *register_part*\n' >"$work/known"
check suppressed 0 objects mrs_left --check --check-exit --suppress "$work/known"
says suppressed '^vtrace: 0 mistakes, .* 2 suppressed, '
echo 'nonsense mr0' >"$work/known"
check wrong_file 2 objects lives --check --suppress "$work/known"
grep -q "'nonsense' is no rule" "$work/out" || fail "the wrong rule of the file is not named"
check no_file 2 objects lives --check --suppress "$work"
grep -q 'Is a directory' "$work/out" || fail "a directory of suppressions"
check no_text 2 objects lives --check --suppress /dev/zero
grep -q 'a line is no text' "$work/out" || fail "suppressions that never end"
check needless 2 objects lives --check-exit

# the library with free() is loaded for its rule only, between vtrace's and the device's
preloaded() {
	# shellcheck disable=SC2016 # the program's own
	"$UROCE" "$vtrace" -q -o "$work/said" "$@" sh -c 'echo "$LD_PRELOAD"' 2>"$work/out" |
		tr ':' '\n' | sed 's|.*/||' | grep -v san | xargs
}
[ "$(preloaded)" = 'libvtrace.so liburoce.so' ] || fail "preloaded: $(preloaded)"
[ "$(preloaded --check=leak)" = 'libvtrace.so liburoce.so' ] || fail "preloaded for leak: $(preloaded --check=leak)"
[ "$(preloaded --check)" = 'libvtrace.so libvtrace-memory.so liburoce.so' ] ||
	fail "preloaded for --check: $(preloaded --check)"

# holds RULE N PROGRAM CASE [CALL]: the thread is held N times, each after what was found; then it goes on.
# CALL: it is held before this one.
holds() {
	local rule=$1 n=$2 held=0 found='' line pid
	exec 3< <(exec timeout 60 "$UROCE" "$vtrace" --stop-on "$rule" -o /dev/fd/4 "$dir/$3" 10.0.0.1 "$4" 4>&1 >"$work/out")
	pid=$!
	: >"$work/said"
	while read -r line; do
		echo "$line" >>"$work/said"
		case $line in
		"vtrace: "*" [$rule]: "*) found=1 ;;
		*"${5:-no call}("*) [ $held = "$n" ] || fail "stop-on $rule: $5 comes before it is held" ;;
		*' is held: '*)
			[ "$found" ] || fail "stop-on $rule: it is held before anything was found"
			found=''
			held=$((held + 1))
			kill -CONT "$(sed -n "s/.*'kill -CONT \([0-9]*\)'.*/\1/p" <<<"$line")"
			;;
		esac
	done <&3
	exec 3<&-
	wait "$pid" || fail "stop-on $rule: exit code $?"
	[ $held = "$n" ] || fail "stop-on $rule: held $held times, not $n"
}
holds send-changed 1 buffers ring_too_early
holds dereg-posted 1 buffers dereg_send_posted
holds cq-overrun 1 queues overrun_untold
! sees_free || holds freed 1 memory free_recv_posted ibv_destroy_qp
holds send-changed 0 buffers ring
check stop-on-leak 2 objects mr_left --stop-on leak
grep -q -- '--stop-on leak: ' "$work/out" || fail "that leaks hold nothing is not said"

# without rules, too, the device says what has overrun
check overrun 1 queues overrun_flushed -q
says overrun 'WR_FLUSH_ERR: flushed' 'cause  .*cq2, a CQ of qp2, has overrun: it has room for 4 completions'
check overrun 0 queues overrun_untold -q
says overrun 'Before a CQ is destroyed:' 'cq2 has overrun: it has room for 4 completions'

# nothing is seen of it
timeout 60 "$UROCE" "$vtrace" --check -o "$work/said" "$static" >"$work/out" 2>&1
status=$?
[ $status = 98 ] || fail "static: exit code $status, not 98"
says static '^vtrace: not checked: none of its calls was seen$'
exit $failed
