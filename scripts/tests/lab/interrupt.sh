#!/bin/bash
# SPDX-License-Identifier: MIT
#
# An interrupted rxe-lab leaves no process, no mount and no directory: INT,
# TERM, HUP and KILL, for one machine, two, and a bridge.  After KILL the
# directory is there until the next start.

# shellcheck source-path=SCRIPTDIR source=lib.sh disable=SC2016,SC2317
. "$(dirname "$0")/lib.sh"
can_run pair
set -m	# background jobs may be interrupted, as on a terminal

# started FILE PID: the command in the machine is running
started() {
	until [ -s "$1" ]; do
		kill -0 "$2" 2> /dev/null || return
		sleep 0.1
	done
}

# the next start removes the directory of a job that is dead: all its processes
# hold the lock
next_start() {
	local lock
	for lock in "$tmp"/rxe-lab.*/lock; do
		flock -w 10 "$lock" true
	done
	"$lab" run true
}

try() {	# SIGNAL STATUS SUBCOMMAND COMMAND...
	local signal=$1 status=$2 job
	shift 2
	: > "$tmp/out"
	"$lab" "$@" < /dev/null > "$tmp/out" 2> "$tmp/err" &
	job=$!
	ok "$1: has started" started "$tmp/out" $job
	ok "$1: there are processes" [ -n "$(left_processes)" ]
	kill "-$signal" $job
	wait $job 2> /dev/null
	equal "$1, $signal: status" $? "$status"
	[ "$signal" != KILL ] || next_start
	nothing_left "$1, $signal"
}

go='echo started; sleep 1000 & sleep 1000'
for signal in INT:130 TERM:143 HUP:129 KILL:137; do
	try ${signal/:/ } run "$go"
done
for signal in TERM:143 KILL:137; do
	try ${signal/:/ } pair -d 0 "$go" "$go"
done
"$lab" check bridge 2> /dev/null &&
for signal in INT:130 KILL:137; do
	try ${signal/:/ } bridge "$go" "$go"
done

# while the cache is made
RXE_LAB_CACHE=$tmp/cache "$lab" run true > "$tmp/out" 2>&1 &
job=$!
until compgen -G "$tmp/cache/tmp.*" > /dev/null || ! kill -0 $job 2> /dev/null; do sleep 0.05; done
kill -TERM $job
wait $job
equal 'while the cache is made: status' $? 143
nothing_left 'while the cache is made'
finish
