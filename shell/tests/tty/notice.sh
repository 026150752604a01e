#!/bin/sh
# SPDX-License-Identifier: MIT
# A notice goes above a half-typed line, which stays as it is, with its cursor.
. "$(dirname "$0")/tmux.sh"

demo_only "$1"
start "$@"
await "$prompt"

# A simple line, the cursor in its middle.
line 'notice 300 first'
type 'echo abcdef'
key Left Left Left
await '^\* cm +first$'
await_screen 'demo> notice 300 first
* cm    first
demo> echo abcdef'
await_cursor '14 2'
type 'X'
key Enter
await '^abcXdef$'

# A line over two rows, the cursor in the first of them, a double-width character before.
line 'proc clear {} { puts -nonewline "\033\[2J\033\[H"; flush stdout }'
line 'clear; notice 500 second'
await '^demo> *$'
type "echo 世界 $(a 80)"
key Home
await '^\* cm +second$'
await_screen "* cm    second
demo> echo 世界 $(a 64)
$(a 16)"
await_cursor '6 1'
key C-c

# The cursor in the second row; and a line that ends just at the edge.
line 'clear; notice 500 third; notice 900 fourth'
await '^demo> *$'
type "echo $(a 69)"
await_cursor '0 1'
await '^\* cm +third$'
await_cursor '0 2'
type 'bc'
key Left
await '^\* cm +fourth$'
await_screen "* cm    third
* cm    fourth
demo> echo $(a 69)
bc"
await_cursor '1 3'
key C-c

# In an open block, and in the search for an earlier line.
line 'clear; notice 500 fifth'
await '^demo> *$'
line 'foreach i {'
type '1 2'
await '^\* cm +fifth$'
await_screen 'demo> foreach i {
* cm    fifth
 ...> 1 2'
key C-c
line 'clear; notice 500 sixth'
await '^demo> *$'
key C-r
type 'abcX'
await '^bck:abcX'
await '^\* cm +sixth$'
await_screen '* cm    sixth
demo> echo abcXdef
bck:abcX'
type 'd'
await '^bck:abcXd'
key C-c

# While a command runs, and many at once.
line 'clear; notice 100 seventh; busy 300; echo done'
await '^\* cm +seventh$'
await '^done$'
line 'clear; for {set i 0} {$i < 10} {incr i} { notice 300 n$i }'
await '^demo> *$'
type 'echo ten'
await '^\* cm +n9$'
await '^\* cm +n0$'
await '> echo ten$'

# What a peer sends does not act on the terminal.
key C-c
line 'clear; notice 100 "a\033\[2Jb\u009bmc\nd"'
await '^\* cm +a\.\[2Jb\.mc\.d$'
line quit
await_end
