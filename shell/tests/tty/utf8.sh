#!/bin/sh
# SPDX-License-Identifier: MIT
# UTF-8: typed, edited, wrapped, in a block, in bytes that make no character.
. "$(dirname "$0")/tmux.sh"

start "$@"
await "$prompt"
type 'echo größe 世界 ok'
key Left Left Left Left BSpace
type '海'
key Enter
await '^größe 海界 ok$'
await_prompt

# Two columns do not fit into the last one.
resize 40 24
type 'echo aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa世界'
key Left BSpace
type '海'
key Enter
await '^aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa海界$'
await_prompt

# A byte that begins no character, one that goes on with none, a character cut short.
on_tmux send-keys -H 65 63 68 6f 20 ff 61 80 62 e4 b8 63 0d
await '^.a.b.c$'
await_prompt
key C-d
await_end
