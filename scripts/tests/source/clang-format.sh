#!/bin/sh
# SPDX-License-Identifier: MIT
# For clang-format, version 14, in the directory SOURCES: the C files there have the layout
# that .clang-format asks for. Other versions lay out a few things differently, so only 14 counts.
set -eu
format=$(command -v clang-format-14 || command -v clang-format) ||
	{ echo "skipped: no clang-format"; exit 77; }
case $("$format" --version) in
*"version 14."*) ;;
*) echo "skipped: clang-format is not version 14"; exit 77 ;;
esac
cd "$1"
# the build directories are not ours
find calls cmds common model scripts shell uroce vtrace -name '*.[ch]' -exec "$format" --dry-run --Werror {} + 2>&1 |
	grep ': error:' && { echo "mend with: $format -i FILE"; exit 1; }
exit 0
