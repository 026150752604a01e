#!/bin/sh
# SPDX-License-Identifier: MIT
# Ctrl-C: drops the line, the open block, a search, a paste; stops a command; never ends the program.
. "$(dirname "$0")/tmux.sh"

demo_only "$1"
start "$@"
await "$prompt"

type 'echo dropped'
await '> echo dropped$'
key Left Left
await_column 16
cancel
await '> echo dropped\^C$'
await_not '^dropped'

line 'foreach i {1 2} {'
type 'echo'
await '\.\.\.> echo$'
cancel
run 'echo next'
await '^next$'

key C-r
type 'nex'
await '> echo next$'
cancel

# A line over two rows is left whole.
type "echo $(a 80)"
await_column 11
key Home
await_column 6
cancel
await "^$(a 11)\^C\$"

# A command, and what was pasted behind it.
paste 'echo start; busy 60000
echo never
'
await '^start$'
key C-c
await 'interrupted$'
await_prompt
run 'echo after'
await '^after$'
await_not '^never$'

# How to leave, at the second in a row on an empty prompt only.
key C-c
await '> \^C$'
await_prompt
shows 'To leave' && fail 'told how to leave too early'
key C-c
await '^To leave: quit or Ctrl-D$'
await_prompt
run 'echo still here'
await '^still here$'
key C-d
await_end
