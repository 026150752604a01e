#!/bin/sh
# SPDX-License-Identifier: MIT
# Tab: the only word, what words have in common, lists, quoting.
. "$(dirname "$0")/tmux.sh"

demo_only "$1"
start "$@"
await "$prompt"

# The only word: inserted, with a blank; inside a line too, but no second blank.
type 'ech'
key Tab
type 'one'
await '> echo one$'
key Home
type 'qu'
key Tab
await '> quit echo one$'
key C-u
type ' x'
key Home
type 'qu'
key Tab
type '!'
await '> quit! x$'
cancel

# Several: first what they share, then the list, with the line drawn again below.
type 'po'
key Tab
await '> post-$'
await_not 'post-read'
key Tab
await '^post-read +post-write$'
await '> post-$'
type 'w'
key Tab
type '<'
await '> post-write <$'
cancel

# The only word is an option: shown where nothing is typed, for it is not needed; else inserted.
type 'opt '
key Tab
await '^-only$'
type '-'
key Tab
type '!'
await '> opt -only !$'
cancel

# None: the line stays.
type 'zzz'
key Tab
type '.'
await '> zzz\.$'
cancel

# A word with a blank is braced. Others end at a whole character.
type 'tw'
key Tab
type '.'
await '> \{two words\} \.$'
cancel
type 'gr'
key Tab
await '> größe$'
key Tab
await '^größe +größer$'
cancel

# The list of a line over two rows goes below both of them, the cursor in the middle too.
run 'proc clear {} { puts -nonewline "\033\[2J\033\[H"; flush stdout }'
run 'clear'
type "echo $(a 78) post- bbb"
key C-Left Left
key Tab
await '^post-read +post-write$'
type 'r'
key Tab
type '!'
await_screen "demo> echo $(a 69)
$(a 9) post- bbb
post-read   post-write
demo> echo $(a 69)
$(a 9) post-read! bbb"
cancel

# More words than the screen holds.
type 'num'
key Tab
await '^\.\.\. and [0-9]+ more$'
await '^num000 '
await '> num$'
cancel
line quit
await_end
