#!/bin/bash
# SPDX-License-Identifier: MIT
#
# bench vtrace: a program of the tests on uroce0, untraced, traced in three ways, and with a rule of
# --inject about the function that does not hit. It measures ibv_post_recv(), because the time of an
# empty poll depends on what the device's thread does.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

rounds=${1:-11} calls=${2:-20000}
build=${rdmash%/*}
uroce=$build/bin/uroce vtrace=$build/bin/vtrace program=$build/vtrace/tests/traced_program
file=$(mktemp)
trap 'rm -f "$file"' EXIT

[ -x "$program" ] || { echo "bench vtrace: $program is missing: build with -DBUILD_TESTING=ON" >&2; exit 1; }

# cost COMMAND...: nanoseconds of a receive
cost() {
	"$@" "$uroce" "$program" cost "$calls" | cut -d' ' -f2 | grep -x '[0-9.]*'
}

rule=(--inject ibv_post_recv:error=ENOMEM:when=999999999)
for ((i = 0; i < rounds; i++)); do
	bare=$(cost env)
	quiet=$(cost "$vtrace" -q -o "$file")
	ruled=$(cost "$vtrace" -q "${rule[@]}" -o "$file" 2>/dev/null)
	counts=$(cost "$vtrace" -c -o "$file")
	full=$(cost "$vtrace" -o "$file")
	echo "$bare $quiet $ruled $counts $full"
done | awk '
	{
		for (i = 1; i <= NF; i++) # what else the machine does only adds to a time
			if (NR == 1 || $i < least[i])
				least[i] = $i
	}
	END {
		if (!NR)
			exit 1
		printf "ibv_post_recv, not traced      %7.1f ns\n", least[1]
		printf "vtrace -q       adds           %7.1f ns   goal 100\n", least[2] - least[1]
		printf "   a rule       adds to that   %7.1f ns   goal 20\n", least[3] - least[2]
		printf "vtrace -c       adds           %7.1f ns   goal 200\n", least[4] - least[1]
		printf "vtrace -o FILE  adds           %7.1f ns   goal 3000\n", least[5] - least[1]
		printf "(least of %d rounds of %d calls)\n", NR, '"$calls"'
	}'
