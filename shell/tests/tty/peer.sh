#!/bin/sh
# SPDX-License-Identifier: MIT
# Another end driven from the prompt, with the program itself (under scripts/tests/on.sh uroce):
# labels, notices above a half-typed line, Ctrl-C, completion, a peer that dies.
. "$(dirname "$0")/tmux.sh"

case $1 in
*edit_demo*) echo "only for the program itself"; exit 77 ;;
esac
columns=100
rows=40

start "$@" -X
await "$prompt"
line 'peer b'
await '^b  idle  process [0-9]+ on '
await_prompt
clear_screen

# Output of a peer has its name, in the order of the commands.
line 'trace off'
line '@b reg 4096 -name window -access local-write,remote-write,remote-read'
await '^b\| mr window  4096 B at '
line '@b expr {6 * 7}'
await '^b\| 42$'
line '@b {'
await '\.\.\.> *$'
line '  echo in a block'
line '  set n 5'
line '}'
await '^b\| in a block$'
await '^b\| 5$'
line 'set k [@b get window rkey]; expr {$k > 0}'
await '^1$'
line '@b nonsense'
await "^error: unknown command 'nonsense'\$"
await '^  on          b$'
clear_screen

# Names of peers, commands behind them, what is there, their options and what is missing.
type '@'
key Tab
await '> @b '
type 'post wri'
key Tab
await '> @b post write'
type ' win'
key Tab
await '> @b post write window '
await 'post write window \[-off size\]'
# shellcheck disable=SC3045  # tmux.sh's
type '-rk'
key Tab
await 'window -rkey '
cancel
clear_screen

# Notices of there, above a half-typed line here, which stays as it is, with its cursor.
line '@b listen 7471 -accept; @b -background {sleep 300; connect 127.0.0.1 7471}'
await '^b\| id0 listening'
type 'echo half typed'
key Left Left Left Left Left
await '^\* cm +b: id[0-9]+: ESTABLISHED with 127\.0\.0\.1:[0-9]+'
await '^b\| id[0-9]+ ESTABLISHED with 127\.0\.0\.1:7471, qp'
await '> echo half typed( |$)'
type 'X'
key Enter
await '^half Xtyped$'
line 'barrier'
clear_screen

# The output of a command in the background, and that it fails.
line '@b -background {sleep 300; echo ready; get window len; nonsense}'
type 'echo half typed'
key Left Left Left Left Left
await '^b\| ready$'
await '^b\| 4096$'
await "^\* peer  b: sleep 300; .*: unknown command 'nonsense'\$"
await '> echo half typed$'
type 'X'
key Enter
await '^half Xtyped$'
clear_screen
line 'barrier'
await "^error: unknown command 'nonsense'\$"

# Ctrl-C ends what runs there, waiting or busy; both ends stay.
line '@b {echo busy; while 1 {}}'
await '^b\| busy$'
key C-c
await '^interrupted$'
await_prompt
clear_screen
line '@b -background {echo waiting; sleep 60s}'
await '^b\| waiting$'
line '@b'
await '^b  busy with .echo waiting; sleep 60s'
line 'echo begun; echo [barrier]'
await '^begun$'
key C-c
await '^interrupted$'
await_prompt
clear_screen
line '@b echo still here; @b'
await '^b\| still here$'
await '^b  idle '
line 'dict get [@b] pid'
await '^[0-9]+$'
clear_screen

# One that dies is told at once, and does not hang anybody.
line '@b quit 7'
await '^\* peer  b has ended: exit status 7$'
await_prompt
line '@b poll'
await '^error: b has ended: exit status 7$'
line 'peer b'
await '^b  idle '
line 'peer'
await '^b  idle '
line 'destroy b'
line '@b poll'
await '^error: there is no peer named b$'
line 'peer c; quit'
await_end
