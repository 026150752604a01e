#!/bin/bash
# SPDX-License-Identifier: MIT
# bench.sh RDMASH growth|uroce|perftest: scripts/bench runs and prints its lines. The numbers count in
# a release build only.
set -u
here=$(cd "$(dirname "$0")" && pwd)

growth() {
	command -v ibv_devices >/dev/null || { echo 'skipped: ibv_devices is missing (ibverbs-utils)'; exit 77; }
	out=$(RDMASH=$1 "$here/../../bench" growth 1 110 2>&1) || status=$?
	printf '%s\n' "$out"
	[ "$status" = 0 ] &&
		[ "$(grep -Ec '^[a-z]+ +[0-9.]+ us each of 100 ' <<<"$out")" = 7 ] &&
		grep -Eq '^start-up .* rdmash [0-9.]+ ms' <<<"$out"
}

# One row of each of the programs that measure.
uroce() {
	local rows=(rc look write read-1024 qps idle) name

	unshare --net true 2>/dev/null || { echo 'skipped: no namespace of its own'; exit 77; }
	command -v ib_send_lat >/dev/null || { echo 'skipped: ib_send_lat is missing (perftest)'; exit 77; }
	out=$(RDMASH=$1 UROCE=${1%/*}/bin/uroce "$here/../../bench" uroce 1 --part 100 --rows "$(IFS=,; echo "${rows[*]}")" 2>&1) ||
		status=$?
	printf '%s\n' "$out"
	for name in "${rows[@]}"; do
		grep -Eq "^$name .* +[0-9.]+ +[0-9.]+ +[a-zA-Z/%]+ +[0-9.]+ +[0-9.]+-[0-9.]+" <<<"$out" || status=1
	done
	[ "$status" = 0 ]
}

# A row of each kind: both programs print a figure.
perftest() {
	local rows=(read-lat atomic-lat write-bw-4k) name

	unshare --net true 2>/dev/null || { echo 'skipped: no namespace of its own'; exit 77; }
	command -v ib_send_lat >/dev/null || { echo 'skipped: ib_send_lat is missing (perftest)'; exit 77; }
	out=$(RDMASH=$1 UROCE=${1%/*}/bin/uroce "$here/../../bench" perftest 1 "$(IFS=,; echo "${rows[*]}")" 2>&1) ||
		status=$?
	printf '%s\n' "$out"
	for name in "${rows[@]}"; do
		grep -Eq "^$name .* +[0-9.]+ +[0-9.]+ +(us|MiB/s) +[0-9.]+ +[0-9.]+-[0-9.]+" <<<"$out" || status=1
	done
	[ "$status" = 0 ]
}

status=0
"$2" "$1"
