#!/bin/bash
# SPDX-License-Identifier: MIT
#
# abuse.sh UROCE ABUSE [CASE...]: programs that ask for too much, end in the middle, fork,
# lose their memory, see signals: abuse.c.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh" "$@"
abuse=$2
shift 2
# that handlers of signals call exit() is what is tried
export TSAN_OPTIONS=report_signal_unsafe=0${TSAN_OPTIONS:+:$TSAN_OPTIONS}

# shellcheck disable=SC2046  # a word a line
[ $# -gt 0 ] || set -- $("$abuse" | grep -vx -e addresses -e narrow) # those are host.sh's
for name in "$@"; do
	each "$name" timeout 60 "$uroce" "$abuse" "$name"
done
finish
