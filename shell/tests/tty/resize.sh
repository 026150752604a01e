#!/bin/sh
# SPDX-License-Identifier: MIT
# The terminal changes its size under a half-typed line.
. "$(dirname "$0")/tmux.sh"

demo_only "$1"
start "$@"
await "$prompt"
run 'echo 1; echo 2; echo 3'
await '^3$'
type 'echo 0123456789012345678901234567890123456789'
await '6789$'
resize 30 24
await_rows '3
demo> echo 0123456789012345678
901234567890123456789'
type 'ab'
key Left
await_rows '3
demo> echo 0123456789012345678
901234567890123456789ab'
resize 60 20
await_rows '3
demo> echo 0123456789012345678901234567890123456789ab'
resize 20 10
await_rows '3
demo> echo 012345678
90123456789012345678
90123456789ab'
type 'X'
key Enter
await '^aXb$'
await_prompt

# While a command runs.
line 'busy 200; echo there'
resize 80 24
await '^there$'
await_prompt
line 'echo 0123456789012345678901234567890123456789'
await '^0123456789012345678901234567890123456789$'
line quit
await_end
