#!/bin/sh
# SPDX-License-Identifier: MIT
# A line longer than the screen: moved in, added to, with a notice, left.
. "$(dirname "$0")/tmux.sh"

demo_only "$1"

has_scrolled() {
	on_tmux capture-pane -p -S - | grep -Eq "$1"
}

columns=40
rows=5
start "$@"
await "$prompt"
line 'notice 300 notice'
type "echo $(a 300)"
key Home End
type "$(a 90)z"
await 'az$'
until_so 60 has_scrolled '^\* cm +notice$' || fail 'no notice above the line'
key Home Left End BSpace
type 'y'
await 'ay$'
key Enter
await '^a+y$'
await_prompt

# An entry of more lines than the screen has.
paste 'foreach i {1} {
	set a 1
	set b 2
	set c 3
	set d 4
	set e 5
	echo "sum [expr {$a + $b + $c + $d + $e}]"
}
'
await '^sum 15$'
await_prompt
key Up Home End
await '^\}$'
key Enter
await_prompt
await '^sum 15$'
key C-r
type 'set b'
await '^\}$'
key C-w
type '; #'
await '; #$'
cancel
line 'quit'
await_end
