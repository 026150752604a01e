#!/bin/bash
# SPDX-License-Identifier: MIT
# figures.sh RDMASH: the drawings of qp-state and timeline. The way of a QP, also when it drains or has
# failed; all transitions of a type with the attributes that qp-state names; rows that come again are
# one line; a hostile name is text.
set -u
rdmash=$1
if [ "${2-}" != inside ]; then
	exec bash "$(dirname "$0")/../on.sh" uroce bash "$0" "$rdmash" inside
fi
failures=0
dir=$(mktemp -d) && cd "$dir" || exit
trap 'rm -rf "$dir"' EXIT

bad() {
	echo "not ok: $*"
	failures=$((failures + 1))
}

has() {	# FILE TEXT
	grep -qF -- "$2" "$1" || bad "$1 has no $2"
}

cat > qps.rdma <<'END_OF_SCRIPT'
reg 4096 -name m
foreach {a b type} {left right RC  u v UC} {
	foreach {qp peer} [list $a $b $b $a] {qp create -type $type -name $qp; modify-qp INIT $qp -fill}
	foreach {qp peer} [list $a $b $b $a] {modify-qp RTR $qp -peer [qp-info $peer] -fill}
	foreach qp [list $a $b] {modify-qp RTS $qp -fill}
}
timeline on
post send -text waits -qp left
modify-qp SQD left
qp-state left -svg draining.svg
wait until {[lsearch [timeline] {*RNR NAK* again [4-9]*}] >= 0} -within 60s
timeline -svg folded.svg
post recv m -len 64 -qp right
wait until {![dict get [qp-state left] permits draining]} -within 60s
qp-state left -svg drained.svg
post send -sge [get m addr]:8:0x1 -qp u
poll -qp u
qp-state u -svg sqe.svg
foreach type {RC UC UD} {qp-state -svg $type.svg -type $type}
expect -error EEXIST {qp-state left -svg sqe.svg}
expect -error MISSING {qp-state -type RC}
expect -error EINVAL {qp-state left -svg x.svg -type RC}
END_OF_SCRIPT
"$rdmash" -X -f qps.rdma > out 2>&1 || bad "exit status $?: $(cat out)"
for f in *.svg; do
	! command -v xmllint > /dev/null || xmllint --nonet --noout "$f" || bad "not well-formed: $f"
	! grep -Eqi '<script|<img|<image|href|url\(|@import|[ "]on[a-z]+=' "$f" || bad "$f: it needs or runs something"
	has "$f" 'prefers-color-scheme: dark'
done
[ ! -e x.svg ] || bad "a drawing that was refused is there"

# four steps to SQD, each with its tip, and the others are not taken
for f in draining drained; do
	[ "$(grep -c '<path class="way"' $f.svg)" = 4 ] || bad "$f.svg: not four steps taken"
	has $f.svg ">$f<"
	has $f.svg 'RTS → SQD'
done
has sqe.svg 'class="fill bad"'
has sqe.svg 'RTS → SQE'
! grep -q '>SQE<' draining.svg || bad "an RC QP in SQE"

# each transition has the attributes that the table gives, and all of them
count() {	# FILE WORDS: in how many of the lines of attributes
	grep -cE "(needs|may have|^<text class=\"row\").*$2" "$1"
}
[ "$(grep -c 'class="badge n"' RC.svg)" = 16 ] || bad "RC.svg has not eight transitions, drawn and listed"
[ "$(grep -c 'class="badge n"' UC.svg)" = 18 ] || bad "UC.svg has not nine"
for name in TIMEOUT RETRY_CNT RNR_RETRY SQ_PSN MAX_QP_RD_ATOMIC PATH_MTU DEST_QPN RQ_PSN MIN_RNR_TIMER \
	EN_SQD_ASYNC_NOTIFY CUR_STATE PATH_MIG_STATE ALT_PATH; do
	[ "$(count RC.svg $name)" -gt 0 ] || bad "RC.svg has no $name"
done
[ "$(count RC.svg QKEY)" = 0 ] || bad "RC with a Q_Key"
[ "$(count UD.svg QKEY)" -gt 0 ] || bad "UD without a Q_Key"
has RC.svg 'needs TIMEOUT, RETRY_CNT, RNR_RETRY, MAX_QP_RD_ATOMIC, SQ_PSN'

has folded.svg ' times more, until '
[ "$(grep -c 'RNR NAK[^<]*</text>' folded.svg)" -le 2 ] || bad "repetitions are not folded: $(cat folded.svg)"
[ "$failures" = 0 ] && echo ok
exit $((failures > 0))
