#!/bin/bash
# SPDX-License-Identifier: MIT
# own.sh RDMASH: a lesson of one's own: its mistakes are found with file and line, without running it
# and when it is begun; its code has the rights of a script; it becomes a handout.
set -u
rdmash=$1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
fail() {
	echo "not ok: $*"
	exit 1
}
cat >good.rdma <<'EOF'
# A comment.
title "Good"
say { Hello, class. }
task {Bring q to INIT.} {
	qp create -name q
	modify-qp INIT q -fill
} {[is q state INIT]} -points 3 -hints { {It begins in RESET.} }
try {Connect.} {
	listen PORT -accept
	connect ADDRESS PORT
	!true
} {[did "connect*"] || $result ne ""}
ask {Well?} { "yes" { Right. } "no" { No. } } 1
EOF
"$rdmash" -n good.rdma || fail 'a good lesson has mistakes'
"$rdmash" -c 'lesson -check good.rdma' || fail 'a good lesson has mistakes in the session'
mistake() { # LINE WORDS FROM TO: what -n says if FROM is TO
	sed "s/$3/$4/" good.rdma >bad.rdma
	! cmp -s good.rdma bad.rdma || fail "nothing was changed: $3"
	! "$rdmash" -n bad.rdma 2>said || fail "-n does not see: $4"
	grep -q "^bad.rdma:$1: $2" said || fail "$4: $(cat said)"
}
mistake 5 "unknown command 'qpp'" 'qp create' 'qpp create'
mistake 7 "unknown command 'iss'" 'is q' 'iss q'
mistake 13 "the answer is '3', and the choices are 1 to 2" '} 1$' '} 3'
mistake 13 'a question takes two or more choices' '"no" { No. }' '"no"'
mistake 2 "title takes 1 words" 'title "Good"' 'title ;'
mistake 9 'listen has no option -acept' ' -accept' ' -acept'
mistake 7 'a step has the options -points N' '-points 3' '-point 3'
echo 'ok: -n knows lessons'

"$rdmash" -c 'lesson ./bad.rdma' >/dev/null 2>&1 && fail 'a bad lesson is played'
sed 's/} 1$/} 3/' good.rdma >bad.rdma
"$rdmash" -c 'lesson ./bad.rdma' 2>&1 | grep -q "bad.rdma:13.*the answer is '3'" || fail 'no file and line'
echo 'ok: a lesson says its file and line'

printf 'title "Bad"\ntry {Do it.} {\n\tpd\n\tcq\n} {[has pd0]}\n' >early.rdma
! "$rdmash" -c 'lesson play ./early.rdma' >said 2>&1 || fail 'a line that is not needed is no mistake'
grep -q 'early.rdma: the step is done before this line of it: cq$' said || fail "$(cat said)"
echo 'ok: a lesson says which line is not needed'

mkdir lessons secret
echo 'set read 1' >secret/file
printf 'title "Bad"\ntry {Do it.} {\n\tsource ../secret/file\n} {[info exists ::read]}\n' >lessons/source.rdma
printf 'title "Bad"\ntry {Do it.} {\n\tpd\n} {[source ../secret/file] eq "1"}\n' >lessons/check.rdma
printf 'title "Bad"\ntry {Do it.} {\n\t!touch done\n} {[did "!*"]}\n' >lessons/system.rdma
for file in source check; do
	! "$rdmash" -c "lesson play lessons/$file.rdma" >said 2>&1 || fail "$file: a lesson reads any file: $(cat said)"
	grep -q 'does not do it' said || fail "$file: $(cat said)"
done
! "$rdmash" -c 'lesson play lessons/system.rdma' >said 2>&1 || fail 'a lesson starts programs'
grep -q 'which you may type yourself: !touch done' said || fail "$(cat said)"
[ ! -e "done" ] || fail 'a lesson has started a program'
echo 'ok: a lesson has the rights of a script'

"$rdmash" -c 'lesson -print good.rdma' >handout 2>/dev/null
grep -q '^# Good$' handout && grep -q '^\*\*1\.\*\* Bring q to INIT\. \*(3 points)\*$' handout || fail 'no handout'
! grep -q 'modify-qp' handout || fail 'the handout has the solution'
grep -qx 'What you typed:' handout || fail 'the handout has no place for the lines of a task'
"$rdmash" -c 'lesson -print good.rdma -solutions' 2>/dev/null | grep -q '^modify-qp INIT q -fill$' || fail 'no solutions'
titles() {
	RDMASH_LESSONS=$1 "$rdmash" -q -c 'foreach l [lesson] { catch { echo [dict get $l title] } }' 2>/dev/null
}
titles "$PWD" | grep -qx Good || fail 'the folder does not add its lessons'
[ "$(titles "$PWD" | head -n 1)" = 'What a protection domain is' ] || fail 'the folder replaces the lessons'
echo 'ok: handouts, and a folder of lessons'
