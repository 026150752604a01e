#!/bin/bash
# SPDX-License-Identifier: MIT
#
# abuse.sh UROCE ABUSE [CASE...]: programs that ask for too much, end in the middle, fork,
# lose their memory, see signals: abuse.c.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh" "$@"
abuse=$2
shift 2

# shellcheck disable=SC2046  # a word a line
[ $# -gt 0 ] || set -- $("$abuse")
for name in "$@"; do
	timeout 60 "$uroce" "$abuse" "$name" >"$tmp/out" 2>&1
	status=$?
	case $status in
	0) echo "ok: $name" ;;
	77) echo "skipped: $name" ;;
	*)
		not_ok "$name: status $status"
		sed 's/^/    /' "$tmp/out"
		;;
	esac
done
finish
