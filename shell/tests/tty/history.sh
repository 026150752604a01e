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
# The search: each key finds at once, and the prompt shows what is searched.
type 'half'
key C-r
await "^search '': half\$"
type '~~~'
await "^nothing has '~~~': half\$"
key BSpace BSpace BSpace
type 'sec'
await "^search 'sec': echo second\$"
post 'a notice'
await '^\* .*a notice$'
await "^search 'sec': echo second\$"
key C-g
await '> half$'
await_not '^search'
key C-u
key C-r
type 'echo f'
await "^search 'echo f': echo first\$"
key C-u
key C-r
type 'echo'
key C-r C-r
await "^search 'echo': (echo größe|foreach)"
key C-s
await "^search 'echo': echo (second|third)\$"
key C-s C-s C-s C-s C-s C-s C-s C-s
await "^nothing newer has 'echo': echo"
key C-u
key C-r
type 'echo f'
await "^search 'echo f': echo first\$"
key C-r
await "^nothing older has 'echo f': echo first\$"
key C-u
key C-r
type 'echo'
await "^search 'echo': "
# any other key is for the line that was found, escape for none
key Escape
await '> echo (second|third)$'
type 's'
await '> secho (second|third)$'
key C-u
# the last search once more
key C-r
key C-r
await "^search 'echo': echo third\$|^search 'echo': echo second\$"
key Left
type 'X'
await '> Xecho (second|third)$'
key C-u
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
