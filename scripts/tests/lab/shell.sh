#!/bin/bash
# SPDX-License-Identifier: MIT
#
# rxe-lab shell on a terminal: prompt, size, Ctrl-C, exit status, and the
# terminal as it was.

# shellcheck source-path=SCRIPTDIR source=lib.sh disable=SC2016
. "$(dirname "$0")/lib.sh"
can_run shell
command -v tmux > /dev/null || skip 'missing: tmux (tmux); apt-get install tmux'

socket=$tmp/tmux
trap 'tmux -S "$socket" kill-server 2> /dev/null; rm -rf "$tmp"' EXIT
pane() { tmux -S "$socket" "$@"; }
screen() { pane capture-pane -p -J -S -200 -t lab; }
type() { pane send-keys -t lab "$1" Enter; }

# shows WHAT PATTERN: the screen has such a line within a minute
shows() {
	local i
	for ((i = 0; i < 600; i++)); do
		pane has-session -t lab 2> /dev/null || break
		if screen | grep -Eq -- "$2"; then
			echo "ok: $1"
			return
		fi
		sleep 0.1
	done
	not_ok "$1: no line like [$2] on"
	screen | sed 's/^/    /'
}

cd "$tmp" || exit 1
PS1='host\$ ' pane -f /dev/null new-session -d -s lab -x 100 -y 30 'bash --norc --noprofile'
shows 'a shell' '^.*[$#] ?$'
type "PS1='host> '; before=\$(stty -g)"
type "$(printf %q "$lab") shell"
shows 'the prompt of the machine' '^lab:.*# $|^lab:.*#$'
type 'echo size $(stty size) on $(hostname)'
shows 'the size of the terminal' '^size 30 100 on h1'
type 'rdma link'
shows 'the devices' '^link rxe1/1 state ACTIVE'
type 'tty; echo begun; sleep 1000; echo "after $?"'
shows 'a command is running' '^begun'
pane send-keys -t lab C-c
type 'echo interrupted $?'
shows 'Ctrl-C ends it, and the shell goes on' '^interrupted 130'
# while a command runs: at its prompt the shell would draw the line anew, over what is printed
type 'echo waits; until [ "$(stty size)" = "25 90" ]; do :; done; echo now $(stty size) on $(hostname)'
shows 'a command waits' '^waits'
pane resize-window -t lab -x 90 -y 25
shows 'a new size' '^now 25 90 on h1'
type 'exit 5'
# what is typed before that would be for the machine, which is gone
shows 'the prompt of this host' '^host> ?$'
type 'echo status $?; [ "$before" = "$(stty -g)" ] && echo terminal as before'
shows 'exit status' '^status 5'
shows 'the terminal' '^terminal as before'
type exit
nothing_left 'after the shell'

"$lab" shell < /dev/null 2> "$tmp/err"
equal 'without a terminal' $? 125
finish
