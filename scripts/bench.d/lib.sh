# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2034
# Sourced by the benchmarks: where things are, medians, and rows of a table.

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
scripts=${here%/*}
top=${scripts%/*}
rdmash=${RDMASH:-$top/build/rdmash}

median() {
	sort -n | awk '{ v[NR] = $1 } END { print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'
}

# column N FILE
column() { awk -v c="$1" '{ print $c }' "$2"; }

# wall COMMAND...: prints the milliseconds that it took
wall() {
	local from=$EPOCHREALTIME

	"$@" >/dev/null 2>&1
	awk -v a="$from" -v b="$EPOCHREALTIME" 'BEGIN { print (b - a) * 1000 }'
}

# Rows are printed as they are measured.
row_head() {
	printf '%-14s %-37s  %9s  %9s  %-5s  %6s  %-15s  %s\n' row '' "$1" "$2" '' ratio \
		'lowest-highest' goal
}

# row_run NAME TEXT UNIT GOAL BASELINE OURS ROUNDS: BASELINE and OURS are commands that print a number
# each; if BASELINE is empty, OURS prints both. GOAL is what the ratio ours / baseline should be:
# "<= 0.5", ">= 2", "= 1", "+- 0.03" (at most so far from 1); or other words, which are only printed.
row_run() {
	local base ours i

	for ((i = 0; i < $7; i++)); do
		base=$(if [ -n "$5" ]; then eval "$5"; fi)
		ours=$(eval "$6")
		echo "$base $ours"
	done | awk -v name="$1" -v text="$2" -v unit="$3" -v goal="$4" '
		function middle(v, n, i, j, x) { # also sorts v
			for (i = 2; i <= n; i++) {
				x = v[i]
				for (j = i - 1; j && v[j] > x; j--)
					v[j + 1] = v[j]
				v[j + 1] = x
			}
			return n % 2 ? v[(n + 1) / 2] : (v[n / 2] + v[n / 2 + 1]) / 2
		}
		NF == 2 { n++; base[n] = $1; ours[n] = $2; ratio[n] = $2 / $1 }
		END {
			if (!n) {
				printf "%-14s %-37s  failed\n", name, text
				exit
			}
			r = middle(ratio, n)
			split(goal, g)
			if (g[1] == "<=")
				met = r <= g[2]
			else if (g[1] == ">=")
				met = r >= g[2]
			else if (g[1] == "+-")
				met = r >= 1 - g[2] && r <= 1 + g[2]
			else
				met = g[1] != "=" || r == g[2]
			printf "%-14s %-37s  %9.3f  %9.3f  %-5s  %6.2f  %-15s  %s\n", name, text,
				middle(base, n), middle(ours, n), unit, r,
				sprintf("%.2f-%.2f", ratio[1], ratio[n]),
				goal == "" ? "" : goal (met ? "" : "  missed")
		}'
}
