#!/bin/bash
# SPDX-License-Identifier: MIT
# taught.sh RDMASH PAGE: each script that a row of the page names is there, and each entry of
# explain in a row is proved by one of the scripts of that row.
set -u
rdmash=$1 page=$2
scripts=$(cd "$(dirname "$0")/../.." && pwd)
failed=0 rows=0
bad() {
	echo "not ok: $1"
	failed=1
}

while IFS='|' read -r _ what entries shown _; do
	rows=$((rows + 1))
	for script in $(grep -oE '`(explain|tests)/[a-z/-]+`' <<<"$shown" | tr -d '`'); do
		[ -f "$scripts/$script.rdma" ] || bad "$what: there is no scripts/$script.rdma"
	done
	for entry in $(grep -oE '`[a-z-]+/[A-Z_]+`' <<<"$entries" | tr -d '`'); do
		# shellcheck disable=SC2016 # Tcl's
		by=$("$rdmash" -q -X -c "echo [dict get [explain ${entry%/*} ${entry#*/}] script]" 2>&1)
		grep -qF "\`$by\`" <<<"$shown" || bad "$what: $entry is proved by $by"
	done
	grep -q '[^ ]' <<<"$shown" || bad "$what: shown by nothing"
done < <(grep '^|' "$page" | tail -n +3)

proved=$("$rdmash" -q -X -f /dev/stdin <<'END'
set all 0
set proved 0
foreach family {wc-status cm-event rej errno async state attribute qp-type access opcode wc-opcode send-flag port-space rule term} {
	foreach entry [explain $family] {
		incr all
		incr proved [dict exists [explain $family [dict get $entry name]] script]
	}
}
echo "$proved of $all"
END
)
tr '\n' ' ' <"$page" | grep -qF " $proved name a script" || bad "the page does not say that $proved are proved"
echo "$rows rows, $proved entries proved"
[ "$rows" -gt 25 ] || bad "only $rows rows"
exit $failed
