# SPDX-License-Identifier: MIT
#
# counted.awk DIR=...: reads a line "CASE|EXPECTED|EXIT STATUS" for each case. DIR/CASE is what vtrace has
# said of it, DIR/CASE.out what the program has. Prints the cases of which something else was said than
# expected, and a table: by rule, the cases that have it, those found, missed, and falsely found. Exits
# with 1 if there is such a case, or none at all.
BEGIN { FS = "|" }

# Adds the rules that vtrace has named to found[].
function read_findings(file, status,    line, last) {
	split("", found)
	while ((getline line <file) > 0) {
		last = line
		if (match(line, /^vtrace: (mistake|may be a mistake) \[[a-z-]+/)) {
			line = substr(line, 1, RLENGTH)
			sub(/.*\[/, "", line)
			found[line]
		}
	}
	close(file)
	if (status == 124)
		found["does not end"]
	if (last !~ /^vtrace: [0-9]+ mistakes?, /)
		found["unchecked"]
}

function print_file(file, before,    line) {
	while ((getline line <file) > 0)
		print "    " before line
	close(file)
}

{
	cases++
	split("", expected)
	n = split($2, word, " ")
	for (i = 1; i <= n; i++)
		if (word[i] != "none")
			expected[word[i]]
	read_findings(DIR "/" $1, $3)
	is_other = 0
	said = ""
	for (rule in expected) {
		all[rule]
		due[rule]++
		if (rule in found)
			right[rule]++
		else
			is_other = 1
	}
	for (rule in found) {
		all[rule]
		said = said " " rule
		if (!(rule in expected)) {
			falsely[rule]++
			is_other = 1
		}
	}
	if (!is_other)
		next
	failed++
	print "FAILED: " $1 ": expected '" $2 "', found '" substr(said, 2) "'"
	print_file(DIR "/" $1, "")
	print_file(DIR "/" $1 ".out", "| ")
}

END {
	printf "%-16s %5s %5s %6s %7s\n", "rule", "cases", "found", "missed", "falsely"
	fflush()
	for (rule in all)
		printf "%-16s %5d %5d %6d %7d\n", rule, due[rule], right[rule], due[rule] - right[rule],
			falsely[rule] | "LC_ALL=C sort"
	close("LC_ALL=C sort")
	print cases + 0 " cases, " failed + 0 " failed"
	exit failed > 0 || cases == 0
}
