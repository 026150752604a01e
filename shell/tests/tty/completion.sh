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
key C-c

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
key C-c

# None: the line stays.
type 'zzz'
key Tab
type '.'
await '> zzz\.$'
key C-c

# A word with a blank is braced. Others end at a whole character.
type 'tw'
key Tab
type '.'
await '> \{two words\} \.$'
key C-c
type 'gr'
key Tab
await '> größe$'
key Tab
await '^größe +größer$'
key C-c

# The list of a line over two rows goes below both of them, the cursor in the middle too.
line 'proc clear {} { puts -nonewline "\033\[2J\033\[H"; flush stdout }'
line 'clear'
await '^demo> *$'
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
key C-c

# More words than the screen holds.
type 'num'
key Tab
await '^\.\.\. and [0-9]+ more$'
await '^num000 '
await '> num$'
key C-c
line quit
await_end
