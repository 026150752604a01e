#!/bin/bash
# SPDX-License-Identifier: MIT
# views.sh VTRACE PROGRAM RDMASH: the forms in which vtrace shows the calls of a client (correct_plain of
# defects/), held against each other and against what gdb counts.
# shellcheck source-path=SCRIPTDIR
set -u
vtrace=$1
program=$2
rdmash=$3
address=10.0.0.1
. "$(dirname "$0")/rig.sh"

# client COMMAND...: runs COMMAND client ADDRESS PORT against a server.
client() {
	exec 3< <(exec timeout 60 "$UROCE" "$program" server $address 7471 2>&1)
	local server=$!
	read -r -u 3 _
	"$UROCE" "$@" client $address 7471 >"$work/out" 2>&1 || fail "$*: $(cat "$work/out")"
	wait $server
	exec 3<&-
}

# -j: each line is an object; the calls are those of the lines.
client "$vtrace" -o "$work/lines" "$program"
client "$vtrace" -j -o "$work/json" "$program"
python3 - "$work/json" >"$work/json.calls" <<'PYTHON' || fail "-j: no JSON: $(cat "$work/json")"
import json, sys
lines = [json.loads(line) for line in open(sys.argv[1])]
for line in lines:
    if "call" in line:
        print(line["call"])
assert lines[-1] == {"exit": 0}, lines[-1]
wc = [w for line in lines if line.get("call") == "ibv_poll_cq" for w in line["out"]["wc"]]
assert [w["wr_id"] for w in wc] == [100, *range(200, 216)], wc
made = [line["made"] for line in lines if "made" in line]
assert made == ["device_list0", "ctx0", "pd0", "cq0", "qp0", "mr0"], made
PYTHON
grep -oE '^[0-9:.]+ [a-z0-9_]+' "$work/lines" | cut -d' ' -f2 | uniq >"$work/lines.calls"
uniq "$work/json.calls" | diff "$work/lines.calls" - || fail "-j has other calls"

# -e LIST, and an expression of the same
while read -r only pattern; do
	client "$vtrace" -e "$only" -o "$work/only" "$program"
	grep -oE '^[0-9:.]+ [a-z0-9_]+' "$work/only" | cut -d' ' -f2 | uniq >"$work/only.calls"
	[ -s "$work/only.calls" ] || fail "-e $only: no calls"
	grep -E "$pattern" "$work/lines.calls" | uniq | diff - "$work/only.calls" || fail "-e $only"
done <<-'LISTS'
	ibv_modify_qp ibv_modify_qp
	ibv_post_*,ibv_modify_qp post|modify_qp
	set-up get|open|free|query|alloc|reg|create|modify|destroy|de|close
	data post|poll
LISTS
"$vtrace" -f --record "$work/script" true 2>"$work/said" && fail "--record follows children"
grep -q 'neither -f' "$work/said" || fail "--record -f does not say why: $(cat "$work/said")"
"$vtrace" --record "$work/none/script" true 2>"$work/said" && fail "--record writes nowhere"
grep -q "$work/none/script" "$work/said" || fail "--record does not name the file: $(cat "$work/said")"
"$vtrace" -e ibv_post_sned true 2>"$work/said" && fail "-e takes a name that there is not"
grep -q "'ibv_post_sned'" "$work/said" || fail "-e does not name it: $(cat "$work/said")"

# -c: the totals, beside breakpoints
client "$vtrace" -c -j -o "$work/counts" "$program"
counted() {
	python3 - "$work/counts" "$1" <<'PYTHON'
import json, sys
table = json.loads(open(sys.argv[1]).readlines()[-1])
print(next((c["calls"] for c in table["calls"] if c["name"] == sys.argv[2]), 0))
PYTHON
}
[ "$(counted ibv_post_send)" = 2 ] || fail "-c: ibv_post_send: $(counted ibv_post_send)"
python3 - "$work/counts" <<'PYTHON' || fail "-c: operations: $(cat "$work/counts")"
import json, sys
table = json.loads(open(sys.argv[1]).readlines()[-1])
done = {o["name"]: (o["completions"], o["errors"]) for o in table["operations"]}
assert done == {"SEND": (1, 0), "RDMA_WRITE": (16, 0)}, done
assert all(0 < o["median_ns"] <= o["p999_ns"] for o in table["operations"])
PYTHON
if nm "$vtrace" | grep -qE " __(asan|tsan)_init"; then
	echo "with a sanitizer: gdb does not count"
elif command -v gdb >/dev/null; then
	functions=(ibv_get_device_list ibv_open_device ibv_query_gid ibv_alloc_pd
		ibv_create_cq ibv_create_qp ibv_modify_qp ibv_destroy_qp ibv_destroy_cq ibv_dereg_mr
		ibv_dealloc_pd ibv_close_device)
	breaks=(-ex 'set breakpoint pending on' -ex 'set debuginfod enabled off')
	for i in "${!functions[@]}"; do
		breaks+=(-ex "break ${functions[i]}" -ex "ignore $((i + 1)) 1000000")
	done
	client gdb -batch "${breaks[@]}" -ex run -ex 'info breakpoints' --args "$program"
	for f in "${functions[@]}"; do
		hits=$(awk -v f="$f" '/keep y/ { n = 0; seen = 0 } $0 ~ f { seen = 1 }
			/already hit/ { n = $4; last = n } seen && /ignore next/ { seen = 0 }
			$0 ~ "<" f ">" { print last; exit }' "$work/out")
		[ "$(counted "$f")" = "${hits:-none}" ] ||
			fail "-c: $f: $(counted "$f"), and gdb says ${hits:-nothing}"
	done
else
	echo "no gdb: the totals are not held against it"
fi

# --timeline and --report: a lane for each process, with the states of its QP
export TMPDIR=$work/tmp
mkdir "$TMPDIR"
# shellcheck disable=SC2016
"$UROCE" "$vtrace" -f --timeline --report "$work/page.html" -o "$work/ladder" timeout 60 bash -c \
	'"$0" server 10.0.0.1 7471 | { read -r _; exec "$0" client 10.0.0.1 7471; }' \
	"${program%/*}/wrong_rkey" >"$work/out" 2>&1
grep -Eq 'wrong_rkey \[[0-9]+\]: qp0 .*wrong_rkey \[[0-9]+\]: qp0' "$work/ladder" ||
	fail "--timeline: no two lanes: $(cat "$work/ladder")"
for state in RESET 'RESET -> INIT' 'INIT -> RTR' 'RTR -> RTS'; do
	[ "$(grep -cF "qp0 $state (" "$work/ladder")" = 2 ] || fail "--timeline: not twice $state"
done
grep -q 'RTS -> ERR (WC REM_ACCESS_ERR,' "$work/ladder" || fail "--timeline: not the way to ERR"
# The packets between the two, as one row each: the message in eight, and the pieces that are written.
# (On a busy machine some are sent again.)
python3 - "$work/ladder" <<'PYTHON' || fail "--timeline: packets: $(grep psn "$work/ladder")"
import collections, re, sys
left, right = collections.Counter(), collections.Counter()
for line in open(sys.argv[1]):
    m = re.search("(◀?)─+ (RC_[A-Z]+).* psn (\\d+) (.*?) ?─+(▶?)", line)
    if m:
        (left if m[1] else right)[m[2], int(m[3]), m[4]] += 1
sends = sorted(psn for name, psn, size in left if (name, size) == ("RC_SEND", "1024 B"))
writes = sorted(psn for name, psn, size in left if (name, size) == ("RC_WRITE", "512 B"))
assert sends == list(range(sends[0], sends[0] + 8)), left
assert writes == list(range(sends[-1] + 1, sends[-1] + 17)), left
assert 1 in left.values() and len(left) == 24, left
assert right["RC_ACK", sends[-1], ""] and right["RC_ACK", writes[0], "NAK: remote access error"], right
PYTHON
# a long program keeps its last rows, and this is said once
# shellcheck disable=SC2016  # Tcl's
"$UROCE" "$vtrace" --timeline -o "$work/long" "$rdmash" -q -c \
	'pd -name p; for {set i 0} {$i < 4500} {incr i} { reg 64 -name m -pd p; destroy m }' >"$work/out" 2>&1
[ "$(grep 'left out' "$work/long")" = 'The first 4096 rows are left out.' ] ||
	fail "--timeline of a long program: $(cat "$work/out"; grep 'left out' "$work/long")"
compgen -G "${TMPDIR:-/tmp}/vtrace.*" >"$work/left" && fail "--timeline leaves $(cat "$work/left")"
python3 "$(dirname "$0")/../../scripts/tests/view/page.py" "$work/page.html" >"$work/page" || fail "--report"
for what in '^last: .*region of this end' '^row: .* packet ' '^then: .* qp0 RTS$' '^bad: '; do
	grep -q "$what" "$work/page" || fail "--report has no $what: $(cat "$work/page")"
done

# the peer is at 10.0.0.78, where nobody answers, and its QP has the number of the program's own
cat >"$work/far.rdma" <<-'END'
	qp create -name q
	modify-qp INIT q -fill
	modify-qp RTR q -peer [list qpn [get q qpn] psn 1 gid ::ffff:10.0.0.78] -fill
	modify-qp RTS q -fill -timeout 8 -retry-cnt 0
	reg 64 -name buf -pd [get q pd]
	post send buf -qp q
	poll -qp q -within 60s
END
"$UROCE" "$vtrace" -o "$work/far" "$rdmash" -q -f "$work/far.rdma" >"$work/out" 2>&1
grep -q RETRY_EXC_ERR "$work/far" || fail "a QP at another host: $(cat "$work/out" "$work/far")"
grep "the peer's QP, is" "$work/far" && fail "a QP at another host is taken for the program's own"

# the manual page, the completion and --help have the same options
here=$(cd "$(dirname "$0")" && pwd)
"$vtrace" --help | grep -oE -- '--[a-z]+' | sort -u >"$work/options"
sed 's/\\//g' "$here/../vtrace.1" | grep -oE -- '--[a-z]+' | sort -u | diff "$work/options" - ||
	fail "vtrace.1 has other options"
grep -oE -- '--[a-z]+' "$here/../vtrace.bash" | sort -u | diff "$work/options" - ||
	fail "vtrace.bash has other options"
exit $failed
