#!/bin/bash
# SPDX-License-Identifier: MIT
# otherwise.sh UROCE OTHERWISE PAGE: what the tables of the page say that uroce0 forgives and refuses, as the
# program OTHERWISE sees it: every row has a check, and is true. With UROCE_PROFILE=strict nothing is forgiven.
set -u
uroce=$1 program=$2 page=$3
namespace=(unshare --net)
[ "$(id -u)" = 0 ] || namespace=(unshare --user --map-root-user --net)
"${namespace[@]}" true 2>/dev/null || { echo 'no network namespaces here: skipped'; exit 77; }
# shellcheck disable=SC2016  # for that shell
seen=$("${namespace[@]}" sh -c 'ip link set lo up && exec "$@"' sh "$uroce" "$program") || exit
rows_of() { # HEADING...
	awk -v heading="^\\\\| ($1) \\\\|" '$0 ~ heading { on = 1; next } !/^\|/ { on = 0 }
		on && !/^\|--/ { split($0, cell, / *\| */); print cell[2] }' "$page"
}
rows=$(rows_of 'mistake|what')
diff <(sort <<<"$rows") <(sort <<<"$seen") || {
	echo "not ok: rows of $page that are not true or have no check (<), or checks without a row (>)"
	exit 1
}
# shellcheck disable=SC2016  # for that shell
strict=$("${namespace[@]}" sh -c 'ip link set lo up && exec "$@"' sh env UROCE_PROFILE=strict "$uroce" "$program") || exit
diff <(rows_of what | sort) <(sort <<<"$strict") || {
	echo "not ok: what UROCE_PROFILE=strict forgives (>), or does not refuse (<)"
	exit 1
}
echo "$(wc -l <<<"$rows") rows"
