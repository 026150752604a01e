#!/bin/bash
# SPDX-License-Identifier: MIT
#
# unkind.sh PROGRAM-UROCE UNKIND [SEEDS]: mistakes that a quick device forgives are shown by
# each seed of UROCE_ORDER, at both levels; the same programs without them are right with all.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh" "$@"
unkind=$2
unset UROCE_ORDER
seeds=${3:-3}

for mistake in last-byte across-qps queue-place; do
	ok "$mistake, a kind device" "$uroce" "$unkind" "$mistake" wrong
	for level in "" ,far; do
		ok "$mistake: right, level '$level'" \
			"$uroce" --order-seeds "$seeds$level" "$unkind" "$mistake" right
		"$uroce" --order-seeds "$seeds$level" "$unkind" "$mistake" wrong >"$tmp/out" 2>&1
		grep -q "^uroce: $seeds of $seeds seeds fail; the first again: uroce --order 1$level " "$tmp/out" ||
			not_ok "$mistake: not shown by all seeds"
		[ "$(grep -c 'exit status 3$' "$tmp/out")" = "$seeds" ] || not_ok "$mistake: shown otherwise"
	done
done

# a run that takes too long, one that ends by a signal, one that is not there
"$uroce" --order-seeds 1 --within 1 sleep 60 2>"$tmp/out"
[ $? = 1 ] && grep -q 'seed 1: not done within 1 s' "$tmp/out" || not_ok 'time is up'
# shellcheck disable=SC2016 # the program's own
"$uroce" --order-seeds 2 sh -c '[ "$UROCE_ORDER" = 1 ] || kill -ABRT $$' 2>"$tmp/out"
[ $? = 1 ] && grep -q 'seed 2: Aborted' "$tmp/out" && grep -q '1 of 2 seeds fail' "$tmp/out" ||
	not_ok 'a signal'
"$uroce" --order-seeds 1 /nonexistent 2>"$tmp/out"
[ $? = 127 ] && grep -q 'No such file' "$tmp/out" || not_ok 'a program that is not there'
for wrong in "--order-seeds 0" "--order-seeds 3,fa" "--within x" "--order"; do
	# shellcheck disable=SC2086 # words
	"$uroce" $wrong true 2>"$tmp/out"
	[ $? = 2 ] || not_ok "uroce $wrong is taken"
done
UROCE_ORDER=no "$uroce" "$unkind" last-byte right >"$tmp/out" 2>&1 && not_ok 'UROCE_ORDER=no is taken'
grep -q "UROCE_ORDER: 'no' is not a seed" "$tmp/out" || not_ok 'UROCE_ORDER=no: no reason'
finish
