#!/bin/sh
# SPDX-License-Identifier: MIT
# A notice goes above a half-typed line, which stays as it is, with its cursor.
. "$(dirname "$0")/tmux.sh"

demo_only "$1"
start "$@"
await "$prompt"
take_notices
run 'proc clear {} { puts -nonewline "\033\[2J\033\[H"; flush stdout }'

# A simple line, the cursor in its middle.
run 'clear'
type 'echo abcdef'
key Left Left Left
await_cursor '14 0'
post 'first'
await_screen '* cm    first
demo> echo abcdef'
await_cursor '14 1'
type 'X'
key Enter
await '^abcXdef$'
await_prompt

# A line over two rows, the cursor in the first of them, a double-width character before.
run 'clear'
type "echo 世界 $(a 80)"
key Home
await_cursor '6 0'
post 'second'
await_screen "* cm    second
demo> echo 世界 $(a 64)
$(a 16)"
await_cursor '6 1'
cancel

# The cursor in the second row; and a line that ends just at the edge.
run 'clear'
type "echo $(a 69)"
await_cursor '0 1'
post 'third'
await '^\* cm +third$'
await_cursor '0 2'
type 'bc'
key Left
await_cursor '1 2'
post 'fourth'
await_screen "* cm    third
* cm    fourth
demo> echo $(a 69)
bc"
await_cursor '1 3'
cancel

# In an open block, and in the search for an earlier line.
run 'clear'
run 'foreach i {'
type '1 2'
await '\.\.\.> 1 2$'
post 'fifth'
await_screen 'demo> foreach i {
* cm    fifth
 ...> 1 2'
cancel
run 'clear'
key C-r
type 'abcX'
await '^bck:abcX$'
post 'sixth'
await_screen "* cm    sixth
demo> echo abcXdef
bck:abcX"
type 'd'
await '^bck:abcXd$'
cancel

# While a command runs, and many at once.
line 'clear; echo busy; busy 60000'
await '^busy$'
post 'seventh'
await_screen 'busy
* cm    seventh'
key C-c
await 'interrupted$'
await_prompt
run 'clear; for {set i 0} {$i < 10} {incr i} { notice 300 n$i }'
type 'echo ten'
await '^\* cm +n9$'
await '^\* cm +n0$'
await '> echo ten$'
cancel

# Text from a peer does not act on the terminal.
post "$(printf 'a\033[2Jb\302\233mc\nd')"
await '^\* cm +a\\x1b\[2Jb\\u009bmc\\nd$'
line quit
await_end
