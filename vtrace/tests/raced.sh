#!/bin/sh
# SPDX-License-Identifier: MIT
# raced.sh COMMAND...: runs rping's server. The main thread of rping closes the channel while its other
# thread is about to ask it for the next event. That one then ends the program with 255, unless it has
# ended before: vtrace makes the end longer, as a sleep of 20 ms there does without vtrace. Nothing else
# may be wrong.
said=$(mktemp)
trap 'rm -f "$said"' EXIT
"$@" 2>"$said"
status=$?
cat "$said"
[ $status != 255 ] || ! grep -qx 'rdma_get_cm_event: Bad file descriptor' "$said" || exit 0
exit $status
