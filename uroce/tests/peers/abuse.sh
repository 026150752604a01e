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
	each "$name" timeout 60 "$uroce" "$abuse" "$name"
done
finish
