#!/bin/bash
# SPDX-License-Identifier: MIT
# lesson-tty.sh RDMASH: a learner takes the first lesson, with mistakes, and it is kept as done.
set -u
command -v tmux >/dev/null || { echo "missing: tmux"; exit 77; }
dir=$(mktemp -d)
trap 'tmux -S "$dir/tmux" kill-server 2>/dev/null; rm -rf "$dir"' EXIT
failed=0
pane() { tmux -S "$dir/tmux" "$@"; }
# types TEXT SHOWS: and waits for a line
types() {
	pane send-keys -t t "$1" Enter
	for ((i = 0; i < 200; i++)); do
		pane capture-pane -p -J -S -200 -t t | grep -qF -- "$2" && return
		sleep 0.1
	done
	echo "not ok: after '$1' no '$2' in"
	pane capture-pane -p -J -S -200 -t t
	failed=1
}
printf -v start 'XDG_STATE_HOME=%q RDMASH_HISTORY= %q' "$dir" "$1"
pane -f /dev/null new-session -d -s t -x 110 -y 50 "bash --norc --noprofile"
types "$start" "rdmash>"
types "lesson 1" "Make one."
types "devices" "(not yet; 'lesson hint' shows a command"
types "pd" "Now a second one"
types "lesson hint" "pd -name elsewhere"
types "pd -name elsewhere" "Register 4096 bytes"
types "reg 4096 -pd pd0 -name buf" "Try it, the message"
types "destroy pd0" "Two programs each"
types "answer 1" "No. Think again."
types "answer 2" "This lesson is done."
types "lesson" "  1 done What a protection domain is"
types "lesson 99" "there is no lesson 99"
exit $failed
