#!/bin/sh
# SPDX-License-Identifier: MIT
# test-list.sh CTEST BUILD LABELS: each test has only labels that LABELS lists, one a line, and is in one
# tier, which is not the quick one for virtual machines and the like; and each label has a test.
set -u
used=$("$1" --test-dir "$2" --print-labels | sed -n 's/^  \([a-z]*\)$/\1/p' | sort)
if ! known=$(cut -d' ' -f1 "$3" | sort | diff - /dev/fd/3 3<<END
$used
END
); then
	echo "not ok: labels of $3 without a test (<), or labels that it lacks (>):"
	echo "$known"
	exit 1
fi
# tests LABEL...: those that have all of these
tests() {
	set -- "$@" -N
	"$ctest" --test-dir "$build" "$@" | sed -n 's/^ *Test *#[0-9]*: \([^ ]*\).*/\1/p'
}
ctest=$1 build=$2
none=$(tests -LE '.')
both=$(tests -L '^all$' -L '^long$')
quick=$(tests -L '^(lab|package|browser|bench)$' -LE '^(all|long)$')
[ -z "$none" ] || echo "not ok: without a label:" $none
[ -z "$quick" ] || echo "not ok: in the quick tier:" $quick
[ -z "$both" ] || echo "not ok: in two tiers:" $both
echo "$(tests | wc -l) tests, $(tests -LE '^(all|long)$' | wc -l) of them in the quick tier, $(tests -L '^all$' | wc -l) more in --all"
[ -z "$none$both$quick" ]
