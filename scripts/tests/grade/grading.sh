#!/bin/bash
# SPDX-License-Identifier: MIT
# grading.sh RDMASH PROGRAM: the assignments give their solutions all points and an empty script
# none; a folder is a row for each hand-in; a hand-in that does not end has the points of what it
# did; a program is graded by its record.
set -u
rdmash=$1 program=$2
here=$(cd "$(dirname "$0")/../../assignments" && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
fail() {
	echo "not ok: $*"
	exit 1
}
grade() { # CODE ARG...: grades, with this exit code
	local want=$1
	shift
	timeout 100 "$rdmash" "$@" >out 2>err
	local code=$?
	[ $code = "$want" ] || fail "$*: exit code $code: $(cat out err)"
}
: >empty.rdma
for rules in "$here"/*.rules.rdma; do
	name=$(basename "$rules" .rules.rdma)
	"$rdmash" -n --grade "$rules" "$rules" || fail "$name: -n does not know the words of rules"
	grade 0 --grade "$rules" "$here/$name.solution.rdma"
	of=$(sed -n 's/^# \(.*\) of \1 points$/\1/p' out)
	[ "${of:-0}" -gt 9 ] || fail "$name: no points: $(cat out)"
	grade 3 --grade "$rules" empty.rdma
	grep -qx "# 0 of $of points" out || fail "$name: points for nothing: $(cat out)"
	echo "ok: $name: a solution has $of points, an empty script none"
done

echo 'expect -name x -true {[pased left RTS]}' >bad.rdma
"$rdmash" -n --grade bad.rdma bad.rdma 2>said && fail '-n does not see a word that is none'
grep -q "^bad.rdma:1: unknown command 'pased'" said || fail "$(cat said)"
echo 'ok: -n knows the words of rules'

mkdir class
cp empty.rdma class/a.rdma
cp "$here/states.rules.rdma" class/rules.rdma
cp "$here/states.solution.rdma" class/b.rdma
{ head -n 6 "$here/states.solution.rdma" && echo 'while {1} {}'; } >class/c.rdma
sed 's/-retry-cnt 3 //' "$here/states.solution.rdma" >class/d.rdma
grade 3 --csv --within 2 --grade class/rules.rdma class
[ "$(head -n 1 out)" = hand_in,points,of,seconds,why,missed ] || fail "no CSV: $(cat out)"
cut -d, -f 1-3 out | tail -n +2 | tr '\n' ' ' >rows
[ "$(cat rows)" = 'a.rdma,0,15 b.rdma,15,15 c.rdma,8,15 d.rdma,14,15 ' ] || fail "other rows: $(cat rows out)"
grep -q '^d.rdma.*left tries three times more (1 point)$' out || fail "not said what was missed: $(cat out)"
grep -q '^b.rdma,15,15,[0-9]*\.[0-9]\{1,3\},,$' out || fail "no milliseconds: $(cat out)"
grep -q '^c.rdma,.*,it was interrupted,' out || fail "not said that it was interrupted: $(cat out)"
grade 3 --json --grade class/rules.rdma class/d.rdma
grep -qx '{"checks":9,"passed":8,"failed":1,"points":14,"of":15}' out || fail "no JSON: $(cat out)"
echo 'ok: a folder, in CSV; JSON'

python3 -c 'import pty, sys; pty.spawn(sys.argv[1:])' "$rdmash" --grade class/rules.rdma class/d.rdma >out
[ "$(grep -c 'expected 3, got ' out)" = 1 ] || fail "not once on a terminal: $(cat out)"
"$rdmash" --grade class/rules.rdma class/d.rdma >out 2>err
grep -q 'expected 3, got ' out && grep -q 'expected 3, got ' err || fail "not in both: $(cat out err)"
echo 'ok: a terminal shows a failed check once'

# More than the record holds: what needs the lost rows gives no points, and says why.
cat >many.rdma <<'END'
expect -name {all have ended well} -true {[completions *ERR] == 0}
expect -name {qp0 is in RTS} -true {[lindex [states qp0] end] eq "RTS"}
END
cat >flood.rdma <<'END'
reg 64 -name m
listen 7471 -address 10.0.0.1 -accept -share m
connect 10.0.0.1 7471
for {set i 0} {$i < 4000} {incr i} { post write m -len 8; poll }
nosuch
END
grade 3 --csv --grade many.rdma flood.rdma
grep -q '^flood.rdma,1,2,.*,it ended at an error; [0-9]* calls and packets are not in its record,all' out ||
	fail "a flood: $(cat out)"
grade 3 --grade many.rdma flood.rdma
grep -q '^many.rdma:1: [0-9]* requests of the hand-in are no longer in the record' err || fail "no reason: $(cat out err)"
echo 'ok: more than the record holds'

cat >program.rdma <<'END'
expect -points 2 -name {the QP goes to INIT} -true {[passed qp0 RESET INIT]}
expect -points 2 -name {to ERR} -true {[passed qp0 INIT ERR]}
expect -points 3 -name {receives are flushed} -true {[completions WR_FLUSH_ERR] == 3}
expect -name {with the rights of nobody} -value 0 {attribute qp0 INIT qp_access_flags}
END
grade 0 --grade program.rdma -- "$program" flush 3
grade 3 --grade program.rdma -- "$program" calls 1
grep -qx '# 3 of 8 points' out || fail "$(cat out)"
grade 3 --csv --grade program.rdma -- "$program" calls 1
grep -q "^$(basename "$program"),3,8," out || fail "a program in CSV: $(cat out)"
grade 3 --within 1 --grade program.rdma -- "$program" hang 60
! grep -q '^Bail out' out || fail "the program was killed: $(cat out)"
grade 2 --within 1m --grade program.rdma -- "$program" flush 3
grade 2 --grade missing.rdma empty.rdma
echo 'expect -true {' >broken.rdma
grade 2 --csv --grade broken.rdma class
grep -q 'the rules cannot be run' out || fail "a student is blamed: $(cat out)"
mkdir none 'class [2026]'
grade 2 --grade program.rdma none
cp class/b.rdma 'class [2026]/b[1].rdma'
grade 0 --csv --grade class/rules.rdma 'class [2026]'
grade 2 --grade program.rdma
grade 2 --unsafe --grade program.rdma empty.rdma
echo 'ok: a program'
