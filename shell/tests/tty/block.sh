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

# Ctrl-D on an empty line of it drops the block; at the first prompt it leaves.
line 'foreach i {'
await '^ *\.\.\.> *$'
key C-d
await_prompt
line 'echo still here'
await '^still here$'
await_prompt
key C-d
await_end
