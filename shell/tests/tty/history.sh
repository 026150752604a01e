#!/bin/sh
# SPDX-License-Identifier: MIT
# History: over two runs, several lines as one entry, two shells at once, private.
. "$(dirname "$0")/tmux.sh"

demo_only "$1"
start "$@"
await "$prompt"
file=$dir/state/rdmash/history

run 'echo first'
run 'foreach i {1 2} {'
run 'echo "got $i"'
run '}'
await '^got 2$'
run 'echo first'
run 'echo first'
line '   '
run 'echo größe \\ tab'
await '^größe . tab$'

# Another shell at the same time: neither loses what the other has typed.
start_second "$@"
await "$prompt"
key Up
await '> echo größe \\\\ tab$'
key C-u
line 'echo second'
await '^second$'
window 0
line 'echo third'
await '^third$'
line quit
await_end
window 1
line quit
await_end
stop

[ "$(stat -c %a "$file")" = 600 ] || fail 'the file can be read by others'
[ "$(stat -c %a "$dir/state/rdmash")" = 700 ] || fail 'the folder can be read by others'
[ "$(grep -c 'echo.*first' "$file")" = 2 ] || fail 'repeated lines are kept, or lost'

start "$@"
await "$prompt"
key Up
await '> quit$'
key Up
await '> echo (second|third)$'
key C-u

take_notices
# The search of libedit: each key finds at once, and a row below the line shows what is searched.
type 'half'
key C-r
await '^bck:$'
type 'sec'
await '> echo second$'
await '^bck:sec$'
post 'a notice'
await '^\* .*a notice$'
await '> echo second$'
await '^bck:sec$'
key C-g
await '> half$'
await_not '^bck'
key C-u
key C-r
type 'echo'
await '^bck:echo$'
key C-r C-r
await '> echo größe|> foreach'
key Enter
await_prompt
key C-r
type 'foreach'
await '^echo "got \$i"$'
key Enter
await '^got 1$'
await '^got 2$'
await_prompt
key Up
await_column 1
cancel
line quit
await_end
