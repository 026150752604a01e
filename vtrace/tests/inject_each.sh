#!/bin/bash
# SPDX-License-Identifier: MIT
# inject_each.sh VTRACE UROCE DIRECTORY: vtrace --inject-each. UROCE "": on the kernel's device.
# shellcheck source-path=SCRIPTDIR
set -u
vtrace=$1
program=$3/injected_each
traced=$3/traced_program
run=()
[ -n "$2" ] && run=("$2")
. "$(dirname "$0")/rig.sh"

# what becomes of the program, for each place
"${run[@]}" "$vtrace" --inject-each --within 5s -j -o "$work/json" --junit "$work/junit" "$program" >"$work/out" 2>&1
[ $? = 1 ] || fail "crashes and hangs are not told by the exit code: $(cat "$work/out")"
python3 - "$work/json" "$work/junit" <<'PYTHON' || fail "$(cat "$work/json" "$work/junit")"
import json, re, sys
import xml.etree.ElementTree
rows = {}
for line in open(sys.argv[1]):
    row = json.loads(line)
    assert row["call"] not in rows and row["calls"] == 1, row
    assert re.fullmatch(r"injected_each\+0x[0-9a-f]+", row["from"]), row
    assert row["rule"] == "%s:error=%s:when=1:at=%s" % (row["call"], row["errno"], row["from"]), row
    rows[row["call"]] = row
found = {name: row["outcome"] for name, row in rows.items()}
assert found == {
    "ibv_get_device_list": "error", "ibv_open_device": "error", "ibv_alloc_pd": "error",
    "ibv_reg_mr": "hang", "ibv_create_cq": "crash", "ibv_query_device": "as before",
    "ibv_destroy_cq": "as before", "ibv_dereg_mr": "as before", "ibv_dealloc_pd": "as before",
    "ibv_close_device": "as before"}, found
pd = rows["ibv_alloc_pd"]
assert pd["errno"] == "ENOMEM" and pd["exit"] == 3 and pd["said"] == 'a "PD" <&> is missing', pd
assert pd["left"] == {"context": 1, "device_list": 1}, pd
cq = rows["ibv_create_cq"]
if cq["signal"] != "ABRT":  # that of a sanitizer, with which it may be built
    assert cq["signal"] == "SEGV" and re.fullmatch(r"injected_each\+0x[0-9a-f]+", cq["at"]), cq
assert rows["ibv_query_device"]["left"] == {}, rows["ibv_query_device"]
assert rows["ibv_destroy_cq"]["left"]["cq"] == 1, rows["ibv_destroy_cq"]
suite = xml.etree.ElementTree.parse(sys.argv[2]).getroot()[0]
assert len(suite) == len(rows), len(suite)
assert len(suite.findall("testcase/failure")) == 2
PYTHON

# the rule that is given repeats it
rule=$(sed -n 's/.*"rule": *"\(ibv_create_cq:[^"]*\)".*/\1/p' "$work/json")
UBSAN_OPTIONS=abort_on_error=1 "${run[@]}" "$vtrace" -q --inject "$rule" -o "$work/again" "$program" >/dev/null 2>&1
case $? in 134 | 139) ;; *) false ;; esac || fail "$rule does not repeat the crash: $(cat "$work/again")"

# only some, and the table
"${run[@]}" "$vtrace" --inject-each=ibv_alloc_*,ibv_query_device "$program" >/dev/null 2>"$work/table" ||
	fail "two harmless places: $(cat "$work/table")"
grep -qx '2 places of calls: 1 ended with an error of their own, 1 went on as if nothing had happened' "$work/table" ||
	fail "the sum: $(cat "$work/table")"
grep -Eqx 'error +ibv_alloc_pd ENOMEM from injected_each\+0x[0-9a-f]+' "$work/table" || fail "the table: $(cat "$work/table")"
grep -qF 'exit code 3; left behind: 1 context, 1 device_list; a "PD" <&> is missing' "$work/table" ||
	fail "the table: $(cat "$work/table")"

# a peer, which is ended with each run, and whatever it has started
if [ -n "$2" ]; then
	cp "$(command -v sleep)" "$work/lingerer"
	"${run[@]}" "$vtrace" --inject-each=rdma_resolve_*,rdma_connect --within 20s -o "$work/table" \
		--peer "$work/lingerer 1000 & exec $traced serve 10.0.0.1" "$traced" visit 10.0.0.1 >"$work/out" 2>&1 ||
		fail "with a peer: $(cat "$work/table" "$work/out")"
	grep -qx '3 places of calls: 3 ended with an error of their own' "$work/table" || fail "with a peer: $(cat "$work/table")"
	for exe in /proc/[0-9]*/exe; do
		[ "$(readlink "$exe")" = "$work/lingerer" ] && fail "a process is left behind: $exe"
	done
fi

# what cannot be tried
"${run[@]}" "$vtrace" --inject-each --within 1s "$traced" hang 2>"$work/said" && fail "a hanging program is tried"
grep -q 'does not end within 1 s without any fault: it is in' "$work/said" || fail "hang: $(cat "$work/said")"
"${run[@]}" "$vtrace" --inject-each true 2>"$work/said" && fail "a program without calls is tried"
grep -q 'no call of libibverbs or librdmacm was seen' "$work/said" || fail "no calls: $(cat "$work/said")"
"$vtrace" --inject-each=ibv_alloc_pdd true 2>"$work/said" && fail "a name that there is not is taken"
grep -q "'ibv_alloc_pdd'" "$work/said" || fail "name: $(cat "$work/said")"
"$vtrace" --inject-each --within 5 true 2>"$work/said" && fail "--within 5 is taken"
grep -q "'5' is not a time" "$work/said" || fail "--within: $(cat "$work/said")"

exit $failed
