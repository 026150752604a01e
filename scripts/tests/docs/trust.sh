#!/bin/sh
# SPDX-License-Identifier: MIT
# trust.sh CTEST BUILD PAGE: every test that the page names is one of the build's.
set -u
tests=$("$1" --test-dir "$2" -N | sed -n 's/^ *Test *#[0-9]*: \([^ ]*\).*/\1/p')
failed=0 n=0
for name in $(sed -n 's/^|.*|\(.*\)|$/\1/p' "$3" | grep -o '`[^`]*`' | tr -d '`' | sort -u); do
	n=$((n + 1))
	printf '%s\n' "$tests" | grep -qxF -- "$name" && continue
	echo "not ok: $3 names '$name': there is no such test"
	failed=$((failed + 1))
done
echo "$n tests named, $failed failed"
[ "$n" -gt 20 ] && [ "$failed" = 0 ]
