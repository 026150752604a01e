#!/bin/sh
# SPDX-License-Identifier: MIT
# The ghost hint: there at the end of the line, cut to the room left, gone when typed over.
. "$(dirname "$0")/tmux.sh"

demo_only "$1"
start "$@"
await "$prompt"
hint='<mr> -remote <addr> -len <n> -rkey <n>'
grey=$(printf '\033\[90m')

type 'post-write '
await "> post-write $hint\$"
colors | grep -q "$grey<mr>" || fail 'the hint is not grey'
await_cursor '17 0'

# Typed over, taken back, not shown when the cursor is elsewhere.
type 'm'
await '> post-write m$'
key BSpace
await "$hint"
key Left
await_not '<mr>'
key End
await "$hint"

# The line alone is entered, and nothing of the hint stays behind.
key Enter
await 'invalid command name "post-write"'
await_prompt
shows '<mr>' && fail 'the hint stays'

# A notice leaves the hint where it is.
take_notices
type 'post-write '
await "$hint"
post 'peer'
await '^\* cm +peer$'
await "> post-write $hint\$"

# Cut in a narrow terminal.
resize 30 24
await '> post-write <mr>...$'
type 'x'
await '> post-write x$'
resize 80 24
cancel

run 'hints 0'
type 'post-write '
await_column 17
type 'y'
await '> post-write y$'
shows '<mr>' && fail 'a hint, though hints are off'
cancel
line quit
await_end

# None on a terminal that can do nothing.
stop
start env TERM=dumb "$@"
await "$prompt"
type 'post-write '
await '> post-write'
line ''
await 'invalid command'
shows '<mr>' && fail 'a hint on a dumb terminal'
line quit
await_end
