#!/bin/sh
# SPDX-License-Identifier: MIT
# Ctrl-Z and fg: the shell around gets its terminal back, and the line is there again.
. "$(dirname "$0")/tmux.sh"

command -v bash >/dev/null || { echo "no bash"; exit 77; }
start env PS1='outer% ' HISTFILE= bash --norc --noediting -i
await '^outer% *$'
line "$(quoted "$@")"
await "$prompt"
type 'echo abc'
await '> echo abc$'
key C-z
await '^outer% *$'

# The terminal echoes and edits lines again.
line 'stty -a | grep -o " echo "; stty -a | grep -o " icanon"'
await '^ echo *$'
await '^ icanon$'
clear_screen clear '^outer% *$'
line fg
await '> echo abc$'
type 'def'
key Left BSpace Enter
await '^abcdf$'
await_prompt

# Stopped from outside, too.
type 'echo xyz'
await '> echo xyz$'
kill -STOP "$(pgrep -P "$(pid)")"
await '^outer% *$'
clear_screen clear '^outer% *$'
line fg
await '> echo xyz$'
key Enter
await '^xyz$'
await_prompt
key C-d
await '^outer% *$'
