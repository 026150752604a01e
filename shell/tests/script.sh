#!/bin/sh
# SPDX-License-Identifier: MIT
# Scripts through the real program: exit codes, options, positions, what is refused.
. "$(dirname "$0")/run.inc"

# ------------------------------------------------------------------ exit codes
run -c 'echo fine'
wants 'ok: code' $code 0
wants 'ok: out' "$out" fine
wants 'ok: err' "$err" ''
run -c nosuch
wants 'unknown: code' $code 1
wants 'unknown: err' "$err" "-c:1: unknown command 'nosuch'
  next        help"
run --nonsense
wants 'option: code' $code 2
run missing.rdma
wants 'missing: code' $code 2
has 'missing' "$err" 'missing.rdma: No such file or directory (ENOENT)'
run -c 'expect -value 1 {expr 2}' -c 'echo not reached'
wants 'expectation: code' $code 3
wants 'expectation: out' "$out" 'not ok 1 expect -value 1 {expr 2} (-c:1)
# expected 1, got 2
#   in          expr 2
#   at          -c:1
1..1
0 checks passed, 1 failed'
wants 'expectation: err' "$err" '-c:1: expected 1, got 2
  in          expr 2'
run -c 'quit 9' -c 'echo not reached'
wants 'quit: code' "$code $out" '9 '
run -c 'expect -true 0; quit'
wants 'quit without code' $code 3
run -k -c 'expect -true 0' -c quit
wants 'quit without code, after a failure' $code 3
run -c 'proc p {} {while 1 {catch {exit 5}; echo no}}; p; echo no'
wants 'quit cannot be caught' "$code $out" '5 '

run -c 'catch {require -true 0 reason}; quit 0'
wants 'require cannot be caught into success' $code 77
run -c 'catch {require -true 0 reason}; echo on' -c 'echo not reached'
wants 'require: code' "$code $out" '77 on
1..0 # SKIP reason'
for c in 'proc f {} {f}; f' 'proc f {} {expr {[f] + 1}}; f' 'proc f {} {repeat 1 {f}}; f' \
	'proc f {} {expect -value 1 {f}}; f'; do
	run -c "$c"
	wants "endless recursion: $c" "$code $(echo "$err" | wc -l)" '1 1'
	has "endless recursion: $c" "$err" nest
	[ ${#err} -lt 300 ] || wants "endless recursion: $c: length" ${#err} 'below 300'
done

# --------------------------------------------------------------------- sources
echo 'echo $argv; echo $argc' >args.rdma
run args.rdma 'a b' c
wants 'argv' "$out" '{a b} c
2'
echo 'echo none' >plain.rdma
run plain.rdma x args.rdma
wants 'a script as an argument' "$err" "rdmash: args.rdma is not run: it is an argument of \
plain.rdma, which does not read \$argv; -f runs several scripts"
run args.rdma plain.rdma
wants 'a script as an argument that is read' "$err" ''
wants 'stdin' "$(echo 'echo from stdin' | "$rdmash")" 'from stdin'
wants 'stdin, named' "$(echo 'echo $argv' | "$rdmash" - x)" x
echo 'echo file; set v 1' >f.rdma
run -c 'echo first' -f f.rdma -c 'echo last $v'
wants 'order' "$out" 'first
file
last 1'
printf '#!/usr/bin/env rdmash\necho \\\n   "two  words" ;# and a comment\n' >cont.rdma
run cont.rdma
wants 'continued' "$out" 'two  words'
printf 'echo 1\necho 2' >nonl.rdma
run nonl.rdma
wants 'no newline at the end' "$out" '1
2'
printf 'echo a\\;b; echo c\\;' >semi.rdma
run semi.rdma
wants 'escaped semicolons' "$out" 'a;b
c;'

# --------------------------------------------------------- what is no script
printf 'echo one\nif {1} {\n  echo two\n' >open.rdma
run open.rdma
wants 'unterminated: nothing runs' "$code $out" '2 '
wants 'unterminated: err' "$err" 'open.rdma:2: missing close-brace
  opened      if {1} {
                     ^'
printf 'echo one\nif {1} {\n  echo two\n}\necho é{a} {b}c\n' >behind.rdma
run behind.rdma
wants 'the place in a line' "$err" 'behind.rdma:5: extra characters after close-brace
  here        echo é{a} {b}c
                           ^'
printf 'set x 1\nforeach y {1 2} {\n  if {$y > } {echo}\n}\n' >brace.rdma
run -n brace.rdma
has 'the line in a brace' "$err" 'brace.rdma:3: missing operand'
printf 'echo\000binary' >bin.rdma
run bin.rdma
wants 'binary' $code 2
has 'binary' "$err" 'bin.rdma is binary'
run .
wants 'a directory' $code 2
echo 'source loop.rdma' >loop.rdma
run loop.rdma
wants 'recursive: code' $code 1
has 'recursive' "$err" 'scripts nested more than 16 deep'
head -c 17000000 /dev/zero | tr '\0' '#' >big.rdma
run big.rdma
wants 'too large' $code 2

awk 'BEGIN {for (i = 0; i < 50000; i++) printf "["; print ""}' >brackets.rdma
run brackets.rdma
wants 'brackets without end' "$code $err" '2 brackets.rdma: brackets nested more than 2000 deep'
run -n brackets.rdma
wants 'brackets without end, -n' "$code $err" '2 brackets.rdma:1: brackets nested too deeply to be checked'
for c in 'regexp $deep x' 'regexp -start 1 -nocase -- $deep x' 'regsub -all $deep x y' \
	'lsearch -regexp -all {a b} $deep'; do
	run -c 'set deep [string repeat ( 1000000]' -c "$c"
	wants "$c: code" "$code" 1
	has "$c" "$err" 'the parentheses of the pattern nest more than 1000 deep'
done
run -c 'echo [regexp [string repeat ( 50]a[string repeat ) 50] a] [regsub -start 1 a(b) xaab c] [lsearch -reg {x ay} a.]' \
	-c 'echo [regexp {(a)|b} [string repeat ( 5000]b got] $got [lsearch -exact {a (} (]'
wants 'patterns that do not' "$code $out" '0 1 xac 1
1 b 1'
run -c "$(cat brackets.rdma)"
wants 'brackets without end, -c' "$code $err" '2 -c: brackets nested more than 2000 deep'
if ! nm "$rdmash" | grep -q " __asan_init"; then
	run -c 'eval [string repeat {[} 50000]'
	wants 'brackets without end, made by a script' "$code $err" '70 rdmash: nested too deeply: the stack is used up'
fi

# ------------------------------------------------------------------- positions
cat >deep.rdma <<'EOF'
proc inner {x} {
	foreach i {1} {
		if {$i} {
			nosuch $x
		}
	}
}
proc outer {} {

	inner 5
}
while 1 {
	outer
}
EOF
run deep.rdma
wants 'positions' "$(head -n1 err.txt)" \
	"deep.rdma:4 in inner < deep.rdma:10 in outer < deep.rdma:13 < deep.rdma:12: unknown command 'nosuch'"
sed 's/nosuch .x/expr {1 +}/' deep.rdma >tcl.rdma
run tcl.rdma
wants "positions of Tcl's errors" "$(head -n1 err.txt)" \
	'tcl.rdma:4 in inner < tcl.rdma:10 in outer < tcl.rdma:13 < tcl.rdma:12: missing operand at _@_'

# ... within the blocks of a command that Tcl compiles, where it knows no line itself
cat >blocks.rdma <<'END'
if {1} {
  set fine 1
  set x $nope
}
foreach x {1} {
  set fine 1
  echo [get mr0
}
proc late {} {
  if {1} {
    echo {a}b
  }
}
proc fails {} {
  incr fine
  incr x zz
}
if {1} {
  late
}
if {1} {
  fails
}
if {0} {
  set x $twice
} else {
  set x $twice
}
if {1} {
  set braces {a
  "b}
  set x $nope3
}
END
run -q -k -f blocks.rdma
wants 'positions in blocks' "$err" "blocks.rdma:3 < blocks.rdma:1: can't read \"nope\": no such variable
blocks.rdma:7 < blocks.rdma:5: missing close-bracket
  opened        echo [get mr0
                     ^
blocks.rdma:11 in late < blocks.rdma:19 < blocks.rdma:18: extra characters after close-brace
  here            echo {a}b
                          ^
blocks.rdma:16 in fails < blocks.rdma:22 < blocks.rdma:21: expected integer but got \"zz\"
blocks.rdma:24: can't read \"twice\": no such variable
blocks.rdma:32 < blocks.rdma:29: can't read \"nope3\": no such variable"
cat >goes_on.rdma <<'END'
proc within {} {
  set x [list \
    {a \\} \
    c]
  dict get {a 1} b
}
within
expect -value 3 {
  set x \
    2
  expr {$zz}
}
repeat 1 {
  set x [list 1 \
    2]
  expr {$zz + \
    3}
}
END
run -q -k -f goes_on.rdma
wants 'positions behind lines that go on' "$err" 'goes_on.rdma:5 in within < goes_on.rdma:7: key "b" not known in dictionary
goes_on.rdma:11 < goes_on.rdma:8: can'"'t read "'"zz": no such variable
goes_on.rdma:16 < goes_on.rdma:13: can'"'t read "'"zz": no such variable'
mkdir sub
printf '\nproc p {} {\n  nosuch\n}\necho in sub\n' >sub/in.rdma
printf 'source sub/in.rdma\nrepeat 2 {\n  echo r\n  p\n}\n' >main.rdma
run main.rdma
wants 'positions across files' "$err" "sub/in.rdma:3 in p < main.rdma:4 < main.rdma:2: unknown command 'nosuch'
  next        help"
wants 'source: out' "$out" 'in sub
r'
printf 'expect a 1 {\n  set x 1\n  nosuch\n}\n' >ex.rdma
run ex.rdma
has 'positions in expect' "$err" 'ex.rdma:3 < ex.rdma:1: unknown'
wants 'a mistake is no verdict' $code 1
printf 'foreach i {7} {\n  expect -name "loop $i" -value 1 {\n    set x 1\n    expr {$x + $zz}\n  }\n}\n' >ex.rdma
run ex.rdma
wants "positions of Tcl's errors in expect" "$err" "ex.rdma:4 < ex.rdma:2 < ex.rdma:1: can't read \"zz\": no such variable
  check       loop 7"
printf 'proc f {} {\n  expect -value 2 {expr 1}\n}\ncatch {f}\n' >ex.rdma
run ex.rdma
has 'a place is told once' "$out" '#   at          ex.rdma:2 in f < ex.rdma:4
1..1'
printf 'proc f {} {\n  repeat 2 {nosuch}\n}\nproc g {} {\n  expect -value 2 {expr {$zz}}\n}\nf\ng\n' >ex.rdma
run -k ex.rdma
has 'a place is told once, of repeat' "$err" "ex.rdma:2 in f < ex.rdma:7: unknown command 'nosuch'"
has 'a place is told once, of an error' "$err" "ex.rdma:5 in g < ex.rdma:8: can't read \"zz\""
# standard input: each command runs when it is complete, and what is wrong later stops nothing before
mkfifo commands
"$rdmash" <commands >answers 2>errors &
driven=$!
exec 3>commands
echo 'puts [incr n]' >&3
timeout 120 sh -c 'until grep -q 1 answers; do sleep 0.05; done'
wants 'standard input: the first answer comes first' $? 0
printf 'foreach i {5 6} {\n' >&3
printf 'puts [incr n $i] }\nputs "x"y\nputs never\n' >&3
exec 3>&-
wait "$driven"
wants 'standard input: code' $? 2
wants 'standard input: answers' "$(cat answers)" '1
6
12'
wants 'standard input: the line of an error' "$(head -n 1 errors)" 'stdin:4: extra characters after close-quote'
printf 'puts 1\nreturn\nputs 2\n' | "$rdmash" >answers
wants 'standard input: return' "$(cat answers)" 1
run -c '[expr {1+2}
]'
has 'a bracket that is closed on a later line' "$err" "-c:1: unknown command '3'"
run -c 'set v 3; expect -true {$v == 4}'
wants 'a condition with its values' "$err" '-c:1: expected true, got false
  in          $v == 4
  that is     3 == 4'
run -c 'expect -true {[llength {a b}] == 3}'
wants 'a condition without variables' "$err" '-c:1: expected true, got false
  in          [llength {a b}] == 3'
printf 'echo 1\nif 1 {return}\necho 2\n' >ret.rdma
run -f ret.rdma -c 'echo next'
wants 'return ends the file' "$code $out" '0 1
next'
echo break >brk.rdma
run brk.rdma
wants 'break outside' $code 1
has 'break outside' "$err" 'brk.rdma:1: '

# --------------------------------------------------------------------- options
printf 'nosuch\necho on\nexpect -true 0\nexpect -true 1\n' >k.rdma
run -k k.rdma
wants '-k: an error says more than a failed check' $code 1
wants '-k: out' "$out" "on
not ok 1 unknown command 'nosuch' (k.rdma:1)
# unknown command 'nosuch'
#   next        help
#   at          k.rdma:1
not ok 2 expect -true 0 (k.rdma:3)
# expected true, got false
#   in          0
#   at          k.rdma:3
ok 3 expect -true 1 (k.rdma:4)
1..3
1 checks passed, 1 failed, errors: 1"
printf 'expect -name a -value 2 {expr 1}\nexpect -true 1\n' >failed.rdma
run -k failed.rdma
wants '-k: failed checks only' $code 3
run -k -f missing.rdma -f failed.rdma
wants '-k: a file that is not there' $code 2
run -q -c 'expect -true 1' -c 'require -true 0 late'
wants 'skipped after checks' "$code $out" '77 ok 1 expect -true 1 (-c:1)
ok 2 # SKIP late
1..2
1 checks passed, 0 failed'
run -k -c nosuch -c 'echo on'
wants '-k, a command failed' "$code $out" '1 on'
printf 'repeat 2 {\n  version\n}\n' >x.rdma
run -x -q x.rdma
wants '-x' "$err" '+ repeat 2 {
  version
}
++ version
++ version'
wants '-q' "$out" ''
run -q -c 'expect -true 1' -c 'echo said'
wants '-q: checks are told' "$out" 'ok 1 expect -true 1 (-c:1)
said
1..1
1 checks passed, 0 failed'
run --json -c 'expect -true 1' -k -c 'expect -name {a # b} -value 2 {expr 1}' -c nosuch
wants '--json: checks' "$code $out" '1 {"check":1,"name":"expect -true 1 (-c:1)","ok":true,"where":"-c:1"}
{"check":2,"name":"a # b","ok":false,"where":"-c:1","error":"expected 2, got 1","call":"expect","code":"FAILED","rows":[{"label":"check","text":"a # b"},{"label":"in","text":"expr 1"}]}
{"check":3,"name":"unknown command '"'nosuch'"' (-c:1)","ok":false,"where":"-c:1","error":"unknown command '"'nosuch'"'","call":"command","code":"UNKNOWN","rows":[{"label":"next","text":"help"}]}
{"checks":3,"passed":1,"failed":1,"errors":1}'
printf 'version\n\noption\n' >results.rdma
run --json results.rdma
wants '--json: results have a place' "$(sed -E 's/"value":\{.*\},/"value":V,/' out.txt)" \
	'{"value":V,"where":"results.rdma:1"}
{"value":V,"where":"results.rdma:3"}'
run --json -k -c nosuch
wants '--json: errors alone are no checks' "$code $out" '1 '
has '--json: errors' "$err" \
	'{"where":"-c:1","error":"unknown command '"'nosuch'"'","call":"command","code":"UNKNOWN","rows":[{"label":"next","text":"help"}]}'
cat >ends.rdma <<'END'
expect -value 1 {expr 1}
expect -name wrong -value 2 {expr 1}
expect -value 3 {expr 3}
# expect nothing
if 1 {
	expect -value 4 {expr 4}
}
	expect -value 5 {expr 5}
END
run ends.rdma
wants 'the plan has what an expectation that failed keeps from being run' \
	"$code $(grep -c '^ok\|^not ok' <out.txt) $(tail -n2 out.txt)" '3 2 1..4
1 checks passed, 1 failed, 2 not reached'
cat >nested.rdma <<'END'
expect -name outer -value 1 {expect -name inner -value 2 {expr 3}}
expect -name wrong -true {$nope}
expect -name mixed -value 1 {catch {expect -name caught -value 2 {expr 3}}; nosuch}
END
run -k nested.rdma
wants 'an error within a check has its name, and counts once' "$(grep ok <out.txt; tail -n1 out.txt)" \
	'not ok 1 inner
not ok 2 wrong
not ok 3 caught
not ok 4 mixed
0 checks passed, 2 failed, errors: 2'
run -q -c 'expect -name {a # skip} -true 1'
has 'a name is no directive' "$out" 'ok 1 a \# skip'
run -q -c 'expect -name {a \# skip} -true 0'
has 'a name with a backslash is none either' "$out" 'not ok 1 a \\\# skip'
printf 'expect -name {<one> & "two"} -true 1\nexpect -name two -value 4 {expr 3}\n' >tap.rdma
run -k --junit junit.xml tap.rdma
has 'JUnit: one passed' "$(cat junit.xml)" '<testcase classname="tap.rdma" name="&lt;one&gt; &amp; &quot;two&quot;" time='
has 'JUnit: one failed' "$(cat junit.xml)" '<failure message="expected 4, got 3">'
has 'JUnit: the sums' "$(cat junit.xml)" 'tests="2" failures="1" errors="0" skipped="0"'
! command -v xmllint >/dev/null || { xmllint --noout junit.xml && wants 'JUnit: XML' $? 0; }
run --junit junit.xml -c 'expect -true 1' -c nosuch
has 'JUnit: a command failed' "$(cat junit.xml)" 'tests="2" failures="0" errors="1"'
run --junit junit.xml -c 'sleep 20; expect -true 1'
! grep -q 'time="0\.0[01]' junit.xml ||
	wants 'JUnit: what the first check took' "$(cat junit.xml)" '20 ms at least'
run --junit junit.xml open.rdma
has 'JUnit: a script that does not parse' "$(cat junit.xml)" '<testcase classname="open.rdma" name="missing close-brace (open.rdma:2)"'
run --junit no/such/junit.xml -c 'expect -true 1'
wants 'JUnit: nowhere to write' $code 1
has 'JUnit: why' "$err" 'rdmash: --junit no/such/junit.xml: No such file or directory'
if command -v prove >/dev/null; then
	printf 'expect -name fine -true 1\necho text\n' >good.rdma
	prove -e "$rdmash -q -X" good.rdma >proved.txt 2>&1
	has 'prove: all is well' "$(cat proved.txt)" 'Result: PASS'
	! prove -e "$rdmash -X -k" good.rdma tap.rdma >proved.txt 2>&1
	has 'prove: one is not' "$(cat proved.txt)" 'Failed test:  2'
	mkdir proved
	echo 'require -true {0} "no such device"' >proved/skipped.rdma
	cp good.rdma proved
	prove --ext rdma -e "$rdmash -X" proved >proved.txt 2>&1
	wants 'prove: a directory' $? 0
	has 'prove: skipped' "$(cat proved.txt)" 'skipped: no such device'
	cp failed.rdma proved
	! prove --ext rdma -e "$rdmash -X" proved >proved.txt 2>&1 ||
		wants 'prove: a check fails in a directory' passed failed
	has 'prove: a check fails in a directory' "$(cat proved.txt)" 'Failed test:  1'
	rm proved/failed.rdma
	echo nosuch >proved/error.rdma
	! prove --ext rdma -e "$rdmash -X" proved >proved.txt 2>&1 ||
		wants 'prove: an error in a directory' passed failed
	has 'prove: an error in a directory' "$(cat proved.txt)" 'Failed 1/1 subtests'
	echo '# nothing yet' >nothing.rdma
	prove -e "$rdmash -X" nothing.rdma >proved.txt 2>&1
	wants 'prove: no checks, code' $? 0
	has 'prove: no checks' "$(cat proved.txt)" 'skipped: nothing is checked'
fi
run -c 'repeat 1 {option format}; set x [option format]; foreach i {1} {option format}'
wants 'what prints' "$out" 'text'
run -n k.rdma
wants '-n finds' "$code $err" "1 k.rdma:1: unknown command 'nosuch'"
printf 'fault wire -drop 101%%\nfault order zz\nfault wire -drop 5%% -direction in\n' >faults.rdma
run -n faults.rdma
wants '-n: words of faults' "$(printf "%s\n" "$err" | sed "s/: .*//")" "$(printf "faults.rdma:1\nfaults.rdma:2")"
printf 'echo a\nproc p {} {\n\tif 1 {\n\t\tslep 1\n\t}\n}\np\nsleep 5x\nexpect a 1 {\n  option hue on\n}\nset x [repeat 2]\necho $x(\n' >n.rdma
run -n n.rdma
wants '-n: code, as when it is run' $code 2
wants '-n: out' "$out" ''
wants '-n: err' "$err" "n.rdma:4: unknown command 'slep'; did you mean sleep?
n.rdma:8: time: '5x' is not a time such as 500, 500ms or 2s
n.rdma:10: name: 'hue' is not known
n.rdma:12: repeat: missing <body>: what to run
n.rdma:13: missing )
  opened      echo \$x(
                     ^"
run -n deep.rdma
wants '-n: code' $code 1
printf 'source sub/in.rdma\nproc q x {p; q $x; $x foo; foo::bar {*}$x}\nproc foo::bar {} {}\ncatch {p} e\nswitch $e {a - b {p} default {echo $e}}\ntry {p} on error {} {q 1} finally {q 2}\nexpect -error UNKNOWN {nosuch}\nexpr {[p] + 1}\n' >fine.rdma
run -n fine.rdma
wants '-n: nothing wrong' "$code $err" '0 '
printf 'if {$x > 2 + * 3} {}\nset x [expr {$x &&\n  ($x +)}]\nexpr {7 7}\n' >expr.rdma
run -n expr.rdma
wants '-n: expressions' "$code $err" '1 expr.rdma:1: missing operand at _@_
    in expression "$x > 2 + _@_* 3"
expr.rdma:3: missing operand at _@_
    in expression "$x &&
      ($x +_@_)"
expr.rdma:4: missing operator at _@_
    in expression "7 _@_7"'
printf 'while $x<3 {incr x}\n' >warn.rdma
run -n warn.rdma
has '-n warns' "$code $err" '0 warn.rdma:1: warning: '
run -n fine.rdma k.rdma open.rdma
wants '-n: all files' "$code $err" "2 k.rdma:1: unknown command 'nosuch'
open.rdma:2: missing close-brace
  opened      if {1} {
                     ^"
run -n open.rdma
wants '-n: unterminated, the code as when it is run' $code 2
printf 'proc late {} {\n  echo [get x\n}\n' >body.rdma
run -n body.rdma
wants '-n: unterminated in a body' "$code $err" '2 body.rdma:2: missing close-bracket
  opened        echo [get x
                     ^'
printf '\357\273\277echo marked\n' >bom.rdma
run bom.rdma
wants 'a byte order mark, run' "$code $out" '0 marked'
run -n bom.rdma
wants 'a byte order mark, checked' "$code $err" '0 '
cat >words.rdma <<'END'
modify-qp RTZ
modify-qp rtz
call ibv_modify_qp qp0 {qp_sate RTS}
if {$x} {
  call ibv_modify_qp qp0 {ah_attr {port_num 900}}
}
call ibv_modify_qp $q {qp_state RTS} STATE,PORTX
call ibv_modify_qp $q [list qp_state RTS]
call ibv_modify_qp
call ibv_post_send qp0 {{sg_list {{addr mr0+8 length 4 lkey mr0}}} {opcode SENDS}}
call rdma_resolve_addr id0 NULL {host 7471} 2000 7
call {*}$words
cm resolve-addr $addr 7471
END
run -n words.rdma
wants '-n: words of a state, a struct and a call' "$code $err" "1 words.rdma:1: state: 'RTZ' is not known; did you mean RTR?
words.rdma:3: ibv_modify_qp: struct ibv_qp_attr has no member 'qp_sate'; did you mean qp_state?
words.rdma:5: ibv_modify_qp: port_num: 900 does not fit in 8 bits
words.rdma:7: ibv_modify_qp: attr_mask: 'PORTX' is not a word of ibv_qp_attr_mask; did you mean PORT?
words.rdma:9: ibv_modify_qp: qp is missing
words.rdma:10: ibv_post_send: opcode: 'SENDS' is not a word of ibv_wr_opcode; did you mean SEND?
words.rdma:11: rdma_resolve_addr: '7' is one argument too many"
run -n -c 'bench write buf -n 5'
has '-n of other programs is -repeat' "$err" 'bench has no option -n; did you mean -repeat?'
run -n -c 'if 1 {nosuch}'
has '-n -c' "$code $err" "1 -c:1: unknown command 'nosuch'"

run --color never -c 'echo plain'
wants '--color never' "$code $out" '0 plain'
run --color sometimes -c 'echo plain'
wants '--color sometimes' "$code $err" "2 rdmash: --color takes always, never or auto, not 'sometimes'"
run -c 'echo {*}[lrepeat 100000 word]'
wants 'many words: a cost that grows faster runs out of time and memory' "$code ${#out}" '0 499999'

# ------------------------------------------------------------------------ json
run --json -c 'version' -c 'option' -c 'echo "a \"quoted\" word"' -c 'expect -true 1' -c 'help -json' -c help
wants '--json: code' $code 0
if command -v python3 >/dev/null; then
	python3 -c 'import json,sys
for line in open("out.txt"): json.loads(line)' || failures=$((failures + 1))
	python3 -c 'import json,sys
table = json.loads(open("out.txt").readlines()[-3])["value"]
assert {c["name"] for c in table} >= {"echo", "expect", "help"}' || failures=$((failures + 1))
fi
run --csv -c option
wants '--csv' "$out" "$("$rdmash" -c 'option format csv; option')"
run -c 'option format csv; option'
wants 'csv' "$out" 'color,echo,format,hints,keep-going,prompt,quiet
off,off,csv,on,off,%p> ,off'

run -c 'option prompt {%t %q> }'
wants 'an unknown part of the prompt' "$code $err" "1 -c:1: prompt: '%q' is not known
  one of      %p %t %e %n, and %% for a percent sign"

# ---------------------------------------------------------------------- safety
mkdir other
echo 'echo other' >other/o.rdma
echo "source $dir/other/o.rdma" >sub/out.rdma
run sub/out.rdma
wants 'outside: code' $code 1
has 'outside' "$err" "sub/out.rdma:1: $dir/other/o.rdma is outside the script's directory $dir/sub"
has 'outside: remedy' "$err" '--allow-dir'
run --allow-dir other sub/out.rdma
wants '--allow-dir' "$code $out" '0 other'
run --allow-dir / sub/out.rdma
wants '--allow-dir /' "$code $out" '0 other'
run --allow-dir other --nonsense
wants '--allow-dir, then a mistake' $code 2
echo 'source ../other/o.rdma' >sub/up.rdma
run sub/up.rdma
wants 'outside, with ..' $code 1
ln -s ../other/o.rdma sub/link.rdma
echo 'source link.rdma' >sub/link2.rdma
run sub/link2.rdma
wants 'outside, through a link' $code 1
echo 'record ../outside.rdma' >sub/rec.rdma
run sub/rec.rdma
wants 'writing outside' "$code $(ls outside.rdma 2>/dev/null)" '1 '
for c in 'exec true' 'socket localhost 1' 'tcl_open /etc/passwd' 'file exists /' 'glob *' \
	'after 1 {}' 'vwait x' 'interp create' 'tcl_puts x' 'load x' 'cd /' 'tcl_exit' \
	'::tcl::encoding::system ascii'; do
	run -c "$c"
	wants "safe: $c" $code 1
done
run --unsafe -c 'set f [tcl_open unsafe.txt w]; tcl_puts $f hi; tcl_close $f; exec true; echo [file size unsafe.txt]'
wants '--unsafe' "$code $out" '0 3'
run -c 'puts stdout words' -c 'puts -nonewline x' -c 'echo'
wants 'puts' "$out" 'words
x'

# ---------------------------------------------------------------------- record
run -k -c 'record r.rdma' -c 'set a 1; echo $a' -c 'help' -c 'nosuch {
}' -c 'echo "b
c"' -c 'record off' -c 'echo late' -c 'record -last 2 last.rdma'
wants 'record' "$(cat r.rdma)" '# recorded by rdmash
set a 1
echo $a
# nosuch {
# }
# unknown command '"'nosuch'"'
echo "b
c"'
wants 'record -last' "$(cat last.rdma)" '# recorded by rdmash
echo "b
c"
echo late'
run r.rdma
wants 'a record runs' "$code $out" '0 1
b
c'

# ---------------------------------------------------------------- broken output
for c in 'repeat 10000 {echo a long line to fill the buffer of the pipe with}' help 'echo x'; do
	code=$({ "$rdmash" -c "$c" 2>err.txt; echo $? >&3; } 3>&1 1>/dev/full)
	wants "full: $c" "$code $(cat err.txt)" '1 rdmash: standard output: No space left on device'
	"$rdmash" -c "$c" -c 'record r2.rdma -force' >&- 2>err.txt
	wants "closed: $c" "$? $(cat err.txt)" '1 rdmash: standard output: Bad file descriptor'
	# a pipe whose reader has gone
	mkfifo gone
	exec 5<>gone 6>gone 5<&-
	"$rdmash" -c "$c" >&6 2>err.txt
	code=$?
	exec 6>&-
	rm gone
	wants "EPIPE: $c" "$code $(cat err.txt)" '1 rdmash: standard output: Broken pipe'
done

code=$( { { timeout -s KILL 60 "$rdmash" -c 'while 1 {catch {echo a}}' 2>err.txt; echo $? >&3; } |
	head -n 1 >/dev/null; } 3>&1)
wants 'EPIPE ends an endless loop' "$code $(cat err.txt)" '1 rdmash: standard output: Broken pipe'

for option in --help --version; do
	"$rdmash" "$option" >/dev/full 2>err.txt
	wants "full: $option" "$? $(cat err.txt)" '1 rdmash: standard output: No space left on device'
	"$rdmash" "$option" >&- 2>err.txt
	wants "closed: $option" "$? $(cat err.txt)" '1 rdmash: standard output: Bad file descriptor'
done
"$rdmash" -c 'set x 1' >&-
wants 'closed, and not needed' $? 0
"$rdmash" <&- 2>err.txt
wants 'no standard input' "$? $(cat err.txt)" '2 error: read: standard input: Bad file descriptor (EBADF)'

# Another user of a pipe sets its flags: all is written whatever they are, and they stay.
# nonblocking FLAG COMMAND...: runs it with standard output as a small pipe, from which little is read at a
# time; prints its exit code, how many lines came, and if the flags are the same afterwards
nonblocking() {
	python3 -c '
import array, fcntl, os, subprocess, sys, termios, threading, time
r, w = os.pipe()
fcntl.fcntl(w, 1031, 4096)  # F_SETPIPE_SZ
if sys.argv[1] == "set":
    fcntl.fcntl(w, fcntl.F_SETFL, os.O_NONBLOCK)
before = fcntl.fcntl(w, fcntl.F_GETFL)
p = subprocess.Popen(sys.argv[2:], stdout=w)
flags = []
def end():
    p.wait()
    flags.append(fcntl.fcntl(w, fcntl.F_GETFL))
    os.close(w)
threading.Thread(target=end).start()
def wait_full():
    while not flags and array.array("i", fcntl.ioctl(r, termios.FIONREAD, bytes(4)))[0] < 4060:
        time.sleep(0.001)
lines = 0
while wait_full() or (piece := os.read(r, 4096)):
    lines += piece.count(b"\n")
print(p.returncode, lines, "same" if flags == [before] else "changed")' "$@"
}
for flag in set clear; do
	wants "echo to a slow pipe, O_NONBLOCK $flag" "$(nonblocking $flag "$rdmash" -q -X \
		-c 'repeat 9000 {echo a line of text for the pipe}')" '0 9000 same'
	wants "text save to a slow pipe, O_NONBLOCK $flag" "$(nonblocking $flag "$rdmash" -q -X \
		-c 'text save /dev/stdout [string repeat "a line of text\n" 9000]')" '0 9001 same'
done

# ------------------------------------------------- numbers of processes, and /proc
# A namespace of processes that has the /proc of another: there /proc/PID is somebody else, or nobody.
other='unshare --pid --fork'
[ "$(id -u)" = 0 ] || other="$other --map-root-user"
if $other true 2>/dev/null; then
	# shellcheck disable=SC2086 # words
	wants '/proc of others' "$($other "$rdmash" -c 'echo fine' 2>&1)" fine
fi

finish
