#!/bin/sh
# SPDX-License-Identifier: MIT
# The program itself and its objects, at one terminal: on the embedded device (under
# scripts/tests/on.sh uroce), or another one ($RDMASH_DEVICE).
. "$(dirname "$0")/tmux.sh"

device=${RDMASH_DEVICE:?}
columns=100
rows=40
rdmash=$1

# shown TEXT: as a part of a line, as it is.
shown() {
	until_so 60 has_text "$1" || fail "'$1' does not appear"
}

has_text() {
	screen | grep -Fq -- "$1"
}

# in_order FILE WORD ...: lines with these words come in this order, and each is there.
in_order() {
	file=$1
	shift
	at=0
	for word; do
		next=$(grep -n -- "$word" "$file" | head -n 1 | cut -d: -f1)
		[ "${next:-0}" -gt "$at" ] || {
			cat "$file" >&2
			fail "'$word' is missing or too early"
		}
		at=$next
	done
}

# --- names, hints, the prompt, the diagram, errors ---

start "$rdmash"
await '^rdmash> *$'
shows '^rdmash .* libibverbs .* Tcl ' || fail 'no banner'
shows '^New here\? lesson 1\.   Commands: help\.   Leave: quit\.$' || fail 'no way in'

line 'reg 4096 -name window -access local-write,remote-write,remote-read'
await '^mr window  4096 B at 0x[0-9a-f]+  lkey 0x'
await "^$device> *$"
line 'reg 64 -name other'
await '^mr other '
clear_screen

# The name of what is alive, whole where it is the only one, else a list.
type 'get win'
key Tab
await "^$device> get window "
type 'rkey'
key Enter
await '^0x[0-9a-f]+$|^[0-9]+$'
clear_screen
type 'get '
key Tab Tab
await ' window( |$)'
shows '(^| )pd0( |$)' || fail 'the PD is not offered'
cancel
clear_screen

line 'qp create -type RC'
await "^$device qp0:RESET> *$"
clear_screen
type 'post write-imm '
key Tab
key Tab
await '(^| )other  '
await '(^| )window( |$)'
type 'w'
key Tab
await 'post write-imm window '

# The ghost hint: what is still missing, grey; gone when the line says it.
grey=$(printf '\033\[90m')
shown '-imm n [-off size]'
colors | grep -q "$grey.*-imm" || fail 'the hint is not grey'
# shellcheck disable=SC3045  # tmux.sh's
type '-imm 1 -off 3'
await_not '-imm n|off size'
key C-u
type 'post write-imm window '
shown '-imm n [-off size]'
cancel
await_not '-imm n'
clear_screen

# A step that cannot be: refused, with what is missing and what to type.
line 'modify-qp RTS'
await '^error: ibv_modify_qp not called: RESET -> RTS is not a transition'
await '^  next        modify-qp INIT -port 1 -pkey-index 0 -access'
clear_screen
line 'modify-qp INIT -port 1'
await '^error: .*not called: missing PKEY_INDEX, ACCESS_FLAGS$'
await '^  next        modify-qp INIT -port 1 -pkey-index 0 -access'
await "^$device qp0:RESET> *$"
clear_screen
line 'modify-qp INIT -port 9 -pkey-index 500 -access none'
await '^error: .*not called: PORT 9'
await '^  next        modify-qp INIT -port 1 -pkey-index 0 -access none$'
line 'modify-qp INIT -fill'
await "^$device qp0:INIT> *$"
clear_screen
line 'qp-state'
await '║ INIT ║'
await '│ RESET │ ══▶ ╔|│ RESET │ ══▶ ║ INIT ║ ──▶'
await '^   now      INIT '
await '^   next     RTR '
await '^   to type  modify-qp RTR '
await '^   history  .* RESET  created$'
await '^ +[0-9:.]+  INIT   modify-qp$'
clear_screen

# Errors of all kinds have one shape.
line 'get windw'
await '^error: there is no object named windw$'
await '^  near        did you mean window\?$'
await '^  there are   '
line 'post write nothing'
await '^error: there is no memory region named nothing$'
line 'frobnicate'
await '^error: .*frobnicate'
line 'post write-imm window'
await '^  usage       post write-imm '
clear_screen

# A proc over several lines, and a command of the system.
line 'proc key {mr} {'
await '^ +\.\.\.> *$'
line '    return [get $mr rkey]'
line '}'
await "^$device qp0:INIT> *$"
line 'expr {[key window] == [get window rkey] ? "same" : "other"}'
await '^same$'
line '!echo "from $((40 + 2)) outside"; exit 3'
await '^from 42 outside$'
await '^exit code 3$'
clear_screen

# Another size under a half-typed line.
type 'echo 0123456789012345678901234567890123456789'
await '6789 \[-nonewline\]$'
resize $((36 + ${#device})) 20
await '^01234567890123456789( |$)'
await "^$device qp0:INIT> echo 01234567890123456789$"
resize 100 40
await "^$device qp0:INIT> echo 0123456789012345678901234567890123456789 \[-nonewline\]$"
key Enter
await '^0123456789012345678901234567890123456789$'
clear_screen

# A table for other programs is not folded at its commas.
resize 40 20
line 'option format csv; option'
await '^t,quiet$'
line 'option format text'
resize 100 40
clear_screen

# --- Ctrl-C: stops what waits, keeps the session ---

line 'echo polling; poll -within 60000'
await '^polling$'
key C-c
await '^interrupted$'
await "^$device qp0:INIT> *$"
clear_screen
line 'echo waiting; wait state RTS -within 60000'
await '^waiting$'
key C-c
await '^interrupted$'
await "^$device qp0:INIT> *$"
clear_screen
line 'connect 10.0.0.77 7471'
await 'rdma_resolve_addr'
key C-c
await '^interrupted$'
await "^$device qp0:INIT> *$"
# Members of a struct complete in braces, and what they may be.
type 'call ibv_create_qp pd0 {send_cq cq0 cap {max_recv_w'
key Tab
await 'max_recv_wr'
type '4} qp_type XRC_S'
key Tab
await 'qp_type XRC_SEND'
cancel

# An error says in which line of the block it is, and of the proc that was typed before.
line 'proc divided i {'
line '    expr {$i / 0}'
line '}'
await_prompt
line 'foreach i {1 2} {'
line '    divided $i'
line '}'
await '^line 2 in divided < line 2 < line 1: divide by zero$'
await_prompt
line 'divided 1'
await '^line 2 in divided: divide by zero$'
await_prompt
line 'expr {1 / 0}'
await '^error: divide by zero$'
await_prompt

line 'destroy qp0'
await "^$device> *$"
line quit
await_end
stop

# --- the history of that run ---

start "$rdmash"
await "$prompt"
key Up
await '^rdmash> quit( |$)'
key C-u
key C-r
type 'destr'
await '> destroy qp0'
await '^bck:destr$'
key C-u
key C-r
type 'proc key'
await '^ *\}$'
key Enter
await_not '^bck'
line 'llength [info procs key]'
await '^1$'
line quit
await_end
stop

# --- the terminal disappears: it ends, and what it made is destroyed in order ---

start sh -c 'exec "$1" 2>"$HOME/err"' sh "$rdmash"
await "$prompt"
line 'reg 4096 -name window; qp create -type RC; qp-state'
await '^   now      RESET'
id=$(pid)
stop
until_so 60 gone "$id" || fail "process $id survives its terminal"
in_order "$dir/err" 'ibv_destroy_qp' 'ibv_destroy_cq' 'ibv_dealloc_pd'
in_order "$dir/err" 'ibv_dereg_mr' 'ibv_dealloc_pd'
