#!/bin/sh
# SPDX-License-Identifier: MIT
# The terminal goes away, or the program is asked to end: it ends.
. "$(dirname "$0")/tmux.sh"

start "$@"
await "$prompt"
type 'echo half'
await '> echo half$'
id=$(pid)
stop
until_so 60 gone "$id" || fail "process $id survives its terminal"

for signal in TERM HUP; do
	start "$@"
	await "$prompt"
	type 'echo half'
	await '> echo half$'
	kill -$signal "$(pid)"
	await '^\[ended (0|4)\]$'
	stop
done
