#!/bin/sh
# SPDX-License-Identifier: MIT
# A command over several lines: continuation prompt, run as one.
. "$(dirname "$0")/tmux.sh"

start "$@"
await "$prompt"
line 'foreach i {1 2} {'
await '^ *\.\.\.> *$'
line '    echo "a'
line 'b$i"'
await_not '^b1$'
line '}'
await '^b1$'
await '^b2$'
await_prompt

# Its end by Ctrl-D on an empty line leaves, as at the first prompt.
line 'foreach i {'
await '^ *\.\.\.> *$'
key C-d
await_end
