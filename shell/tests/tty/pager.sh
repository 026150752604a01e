#!/bin/sh
# SPDX-License-Identifier: MIT
# Output that is longer than the screen goes through a pager at the prompt, and nowhere else; the width of
# the terminal; Ctrl-D in an open block; a locale without UTF-8. With the program itself.
. "$(dirname "$0")/tmux.sh"
rdmash=$1

command -v less >/dev/null || { echo "no less"; exit 77; }

# less stands where one screen is full; Ctrl-C and q are its own; the session goes on
PAGER=less
start "$rdmash" -X
await_prompt
line 'help all'
await '^Space goes on, q goes back$'
key C-c
# less drops what is typed while it is interrupted: a line further, until it goes
moved() {
	key j
	shows_not '^device$'
}
until_so 60 moved || fail 'less does not go on after Ctrl-C'
await '^Space goes on, q goes back$'
key q
await_prompt
line 'echo still here'
await '^still here$'
! shows interrupted || fail 'Ctrl-C of the pager came through'
await_prompt
stop

# nobody has asked for less: what is typed into it by mistake writes no file
start env -u PAGER "$rdmash" -X
await_prompt
line 'help all'
await '^Space goes on, q goes back$'
line 'stolen'
await 'log file support is not available'
stop

# another program; none
PAGER='sed s/^/paged:/'
start "$rdmash" -X
await_prompt
line 'help all'
await '^paged: '
await_prompt
clear_screen
line 'help version'
await 'versions of the shell'
shows_not paged || fail 'a short text is paged'
line quit
await_end
stop
PAGER=
start "$rdmash" -X
await_prompt
run 'help all'
shows_not '^Space goes on' || fail 'there is a pager'

# Ctrl-D drops an open block; on an empty line it leaves
clear_screen
line 'if {1} {'
await '[.][.][.]> *$'
key C-d
await_prompt
line 'echo [info exists x]'
await '^0$'
key C-d
await_end
stop

# no line of the overview is wider than the terminal, and it fits
for columns in 40 80 120; do
	start "$rdmash" -X
	await_prompt
	line 'help'
	await '^help|searches'
	await_prompt
	on_tmux capture-pane -p -J >"$dir/joined"
	[ -z "$(LC_ALL=C.UTF-8 sed 's/ *$//' "$dir/joined" | awk -v n="$columns" 'length > n')" ] ||
		fail "lines are wider than $columns"
	stop
done

# ASCII, at the prompt too
columns=80
LC_ALL=C
start "$rdmash" -X
await_prompt
line 'qp create'
await 'qp0:RESET'
line 'qp-state'
await '# RESET #'
! screen | grep -q '[^ -~]' || fail 'not ASCII'
stop
