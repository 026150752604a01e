# SPDX-License-Identifier: MIT
# The skipped tests of the reports of ctest, by the last line that each of them printed.
function last() {
	if (name == "" || !skipped)
		return
	gsub(/^[ \t]*((rxe-lab|skipped): *)*/, "", line)
	if (!(line in count))
		order[++reasons] = line
	count[line]++
	names[line] = names[line] " " name
	total++
}
/<testcase / {
	name = $0
	sub(/.*<testcase name="/, "", name)
	sub(/".*/, "", name)
	skipped = 0
	line = ""
}
/<skipped/ { skipped = 1 }
{
	text = $0
	gsub(/<[^>]*>/, "", text)
	if (text ~ /[^ \t]/)
		line = text
}
/<\/testcase>/ { last(); name = "" }
END {
	if (!total)
		exit
	printf "skipped: %d tests\n", total
	for (i = 1; i <= reasons; i++)
		printf "  %d: %s:%s\n", count[order[i]], order[i], names[order[i]]
}
