#!/bin/bash
# SPDX-License-Identifier: MIT
# bench.sh RDMASH: scripts/bench overhead runs and prints its two lines.
set -u
here=$(cd "$(dirname "$0")" && pwd)

"$here/../rxe-lab" check || exit
command -v ibv_devices >/dev/null || { echo 'skipped: ibv_devices is missing (ibverbs-utils)'; exit 77; }
out=$(RDMASH=$1 "$here/../bench" overhead 1 100 2>&1)
status=$?
printf '%s\n' "$out"
[ "$status" = 0 ] &&
	grep -Eq '^post \+ poll .* rdmash [0-9.]+ us .* \(1 rounds of 100\)' <<<"$out" &&
	grep -Eq '^start-up .* rdmash [0-9.]+ ms' <<<"$out"
