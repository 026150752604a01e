#!/bin/sh
# SPDX-License-Identifier: MIT
# Cursor keys work; keys without a function type nothing.
. "$(dirname "$0")/tmux.sh"

start "$@"
await "$prompt"
type 'echo b'
key Home End Left
type 'a'
key F1 F5 F12 PageUp PageDown IC
type 'x'
key Home DC C-Right C-Left DC
type 'ec'
key End
key Enter
await '^axb$'
await_prompt
run 'echo once'
run 'echo twice'
await '^twice$'
type 'echo o'
key PageUp
await '> echo once$'
key C-u
key C-w
await_prompt
run 'echo three words'
key Up C-w C-w
type 'left'
key Enter
await '^left$'
await_prompt
key C-d
await_end
