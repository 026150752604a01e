#!/bin/bash
# SPDX-License-Identifier: MIT
# first-tries.sh RDMASH: what stopped people at their first try, at a terminal of 80x24: one prompt that
# waits for itself, words in the wrong place, a port that is taken, two terminals with nothing
# shared, leaving an open block, a terminal without UTF-8.
# shellcheck source-path=SCRIPTDIR source=../../../shell/tests/tty/tmux.sh
. "$(dirname "$0")/../../../shell/tests/tty/tmux.sh"
rdmash=$1
columns=80
rows=24

# said TEXT: on the screen, whatever the lines it was laid out in.
said() {
	screen | tr -s ' \n' ' ' | grep -qF -- "$1"
}
await_said() {
	until_so 60 said "$1" || fail "no '$1'"
}
# A notice of what was before may come at any time.
is_clean() {
	[ "$(screen | grep -c .)" -le 2 ] && at_prompt
}
clean() {
	line '!clear'
	until_so 60 is_clean || fail 'the screen is not cleared'
}
ok() {
	echo "ok: $1"
	clean
}

start "$rdmash"
await_prompt

# Both ends at one prompt: connect returns, since nobody else can answer.
run 'listen 7471'
run 'connect 127.0.0.1 7471 -name c'
await_said 'c CONNECTING with 127.0.0.1:7471, qp0 INIT'
await_said 'id1, its request, waits for your answer here: accept, or reject'
run 'accept'
await_said 'id1 ESTABLISHED with 127.0.0.1'
run 'get c state'
await '^ESTABLISHED$'
ok 'both ends at one prompt'
run 'destroy c -cascade'
run 'destroy id1 -cascade'
run 'destroy id0'

# A text where a region is meant; a write to nowhere leaves nothing behind.
run 'reg 4096 -name window'
run 'listen 7471 -accept'
run 'connect 127.0.0.1 7471 -name c'
clean
run 'post write "hello, memory"'
await_said 'error: there is no memory region named hello, memory'
await_said 'or to send these letters: -text "hello, memory"'
run 'post write -text hello again -force'
await_said 'or as one text: post write -text "hello again" -force'
run 'mem put window 0 hello, memory'
await_said 'next mem put window 0 "hello, memory"'
clean
run 'post write -text hello'
await_said 'where to? The peer of qp0 has told no window'
await_said "or at the peer: 'listen PORT -share REGION' tells it"
run 'llength [dict keys [dict filter [show] key mr*]]'
await '^0$'
ok 'a text in place of a region, and a write to nowhere'

run 'post write -text "costs $5"'
await_said 'as text in braces, where $ and [ ] are letters: {$5}'
run 'post write -text "[1] of 3"'
await_said "error: unknown command '1' as text in braces, where \$ and [ ] are letters: {[1]}"
run 'post recv window -qp $peer'
await_said 'as a value give it one first: set peer VALUE'
run 'modify-qp RTR qp0 -peer qp-info qp1 -fill'
await_said 'qp-info is a command: in brackets it runs first: [qp-info qp1]'
run 'dp'
await_said 'did you mean pd?'
run 'next'
await_said 'did you mean lesson?'
run 'ibv_query_port_speed'
await_said 'did you mean call ibv_query_port_speed?'
run 'cm notify'
await_said "cm has no 'notify'; did you mean call rdma_notify?"
clean
run 'help pkeys'
await_said 'int ibv_query_pkey('
clean
run 'mem dump window'
await_said '(256 of 4096 bytes; more: mem dump window 256)'
clean

# A poll in vain says while it waits what it waits for.
line 'poll -within 60s'
await_said 'waiting for 1 completion on cq2, where nothing is outstanding, at most 60 s (Ctrl-C stops)'
key C-c
await '^interrupted$'
run 'poll -within 10'
await_said 'likely nothing is outstanding on cq2'
run 'poll'
await_said 'to wait poll -within 60s'
run 'modify-qp RTF'
await_said "state: 'RTF' is not known; did you mean RTR?"
ok 'nothing is outstanding'

# Lines as in other shells; and an example on the first screen of each help.
run 'write hello'
await_said "unknown command 'write'; did you mean post write?"
await_said 'next help post write'
run 'q'
await_said 'quit leave the shell'
run 'help'
await_said 'post (bind-mw'
run 'rdma_connect'
await_said "unknown command 'rdma_connect': cm connect, connect call it"
run 'mem put window hello'
await_said 'example mem put buf 0'
run 'fault'
await_said 'run break one thing on purpose'
ok 'what was meant'

# The objects that go with one that is destroyed; the way back from ERR, and that an error is an old one.
run 'destroy -all'
run 'reg 64 -name window'
run 'listen 7471 -share window -accept'
run 'connect 127.0.0.1 7471'
clean
run 'post write -text long -at 64'
await_said 'window + 64, beyond its end'
await_said 'qp0:ERR>'
run 'reconnect'
run 'explain'
await_said 'its completion says why, and waits: poll, then explain'
clean
run 'poll'
run 'post write -text more'
await_said "flushed at once: qp0 is in ERR; 'explain' tells why, and the way back"
run 'clear'
await_said 'did you mean !clear?'
run 'explain'
await_said 'The last failure, 3 commands ago: REM_ACCESS_ERR'
clean
run 'explain qp0'
await_said 'REM_ACCESS_ERR: the peer'
await_said 'next: disconnect id1; connect 127.0.0.1 7471'
clean
run 'disconnect id1'
run 'disconnect id1'
await_said 'id1 DISCONNECTED (as before)'
run 'explain'
await_said 'what is posted is flushed next: connect 127.0.0.1 7471'
run 'connect 127.0.0.1:7471'
run 'post recv -qp [get [lindex [dict keys [dict filter [show] key id*]] end] qp]'
await_said "'poll -qp"
run 'post write -text again'
run 'poll'
await_said 'SUCCESS'
run 'mem dump window 32 16'
await_said '0x0020'
run 'destroy window -cascade'
await_said 'also destroyed: id0 (listener)'
run 'destroy -all'
run 'reg 4096 -name window'
run 'listen 7471 -name id0'
ok 'the way back'

# Files; the program that lists ports is found in a build tree, too.
run 'open README.md'
await_said "files: 'mem load REGION FILE' reads one"
run 'help file'
await '^ +mem load REGION FILE '
run '!uroce status'
await_said 'listens'
await_prompt
ok 'files, and who has which port'
run 'listen 7471'
await_said 'port 7471 is in use: id0 has it'
ok 'a port of this session'

# The next words: attributes of an object, lessons.
type 'get window rk'
key Tab
await '> get window rkey( |$)'
cancel
type 'lesson s'
key Tab Tab
await '^skip +stop( |$)'
cancel
type 'fault wire -drop 5% -direction '
key Tab Tab
await '^in +out +both( |$)'
cancel
ok 'Tab knows attributes, lessons and directions'

# A QP by hand.
run 'qp create -name left'
run 'modify-qp INIT left -fill'
run 'modify-qp RTR left -peer left -fill'
await_said 'next -peer [qp-info left]'
run 'destroy left'
clean

# Words of everyday, and in any order.
run 'help machine state'
await_said '> qp-state -timing'
clean
run 'help memory write peer'
await '^  post write '
await_prompt
clean
run 'help why does my QP not work'
await '^  explain '
clean
run 'help region zebrafish'
await_said "nothing in the help mentions 'zebrafish'"
clean
run 'explain REM_ACCESS_ERR'
await '^  see '
await_said "rxe, the kernel's software device"
! said '.rdma' || fail 'a script of the source is told as something to type'
clean
run 'help internals'
await_said "How it works The way of 'post write"
clean
run 'help tutorial'
await_said 'lesson [<what>]'
ok 'help finds what has another name here'

run 'help write'
await_said 'see also post write-imm'
clean
line 'help bind'
await '^mentioned by$'
screen | sed '/^mentioned by/q' | grep -q '^  mw bind ' || fail 'the name does not come first'
ok 'names come first'

# How long it takes, again and again, and what was typed.
run 'timing on'
run 'repeat 3 {echo round} -every 20ms'
await '^  took ([4-9][0-9]|[1-9][0-9]{2,})[.][0-9]+ ms$|^  took [0-9.]+ s$'
[ "$(screen | grep -c '^round$')" = 3 ] || fail 'not three rounds'
run 'timing off'
run 'history round'
screen | grep -A1 '> history round' | grep -qF 'repeat 3 {echo round} -every 20ms' || fail 'no history'
ok 'timing, rounds, history'

# A message that nobody is ready for, at a peer that is at this prompt, too.
run 'destroy -all'
run 'reg 64 -name inbox'
run 'listen 7471 -accept'
run 'post recv inbox'
await_said 'no client has come yet'
await_said "'accept -prepare' waits for a client"
run 'connect 127.0.0.1 7471'
run 'post recv -len 8'
await_said 'RECV of 8 bytes, in inbox'
run 'post send -text hi'
clean
run 'poll -within 300'
await_said 'no receive posted: '
await_said 'next post recv inbox -qp qp'
key C-d
await_said "(not complete: 1 send of qp0; 'poll' waits for that, Ctrl-D again leaves without)"
await_prompt
run "$(screen | sed -n 's/^  next *\(post recv inbox -qp qp[0-9]*\)$/\1/p')"
run 'poll'
await_said 'SUCCESS SEND'
clean
run 'post recv'
await_said 'RECV of 0 bytes, no region: no room for a message'
ok 'no receive, and where to post it'

# A success of before, when the QP is in ERR; an atomic without a region; a receive for which only a
# shared region is there.
run 'destroy -all'
run 'reg 64 -name ctr'
run 'listen 7471 -share ctr -accept'
run 'connect 127.0.0.1 7471'
run 'post write -text one'
run 'post write -text past -at 64'
await ':ERR> *$'
clean
run 'poll'
await_said 'is in ERR, and another completion waits: poll'
run 'poll'
await_said 'REM_ACCESS_ERR'
run 'destroy -all'
run 'reg 64 -name ctr'
run 'listen 7471 -share ctr -accept'
run 'connect 127.0.0.1 7471'
clean
run 'post fetch-add 5'
await_said 'did you mean -add 5?'
run 'post fetch-add -add 5'
await_said '-name before; post fetch-add before -add 5'
run 'post send -text hi'
run 'poll -within 300'
await_said '-name inbox; post recv inbox -qp qp'
clean
run 'reg 64 window'
await_said 'did you mean -name window?'
run 'sleep 30'
await '^slept 30 ms$'
run '7'
await_said "unknown command '7' next help"
run 'qp create -name left'
run 'post write -text hi -qp left'
await_said 'left is RESET: nothing may be posted'
run 'if 1 {qp-state left}'
await_said 'left, RC, qpn'
ok 'what is in the way is told first, with a line to type'

# After a failure: the rights of the peer's region, and how much of the request fits.
run 'destroy -all'
run 'reg 64 -name small'
run 'listen 7471 -share small -accept'
run 'connect 127.0.0.1 7471'
clean

# Somebody else has the port; what is shared there is used, what is too much is told.
start_second "$rdmash"
await_prompt
run 'connect 127.0.0.1 7471 -prepare'
run 'modify-qp ERR'
run 'explain'
await_said 'qp0 is in ERR (modify-qp): what is posted is flushed next: connect 127.0.0.1 7471'
run 'destroy -all'
run 'listen 7471'
await_said 'port 7471 is in use, and no id of this process has it'
await_said "'!uroce status' lists who has it"
clean
run 'connect 127.0.0.1 7471'
await_said 'its window of 64 bytes is open to writes, reads and atomics'
run 'reg 4096 -name buf'
run 'post write buf'
run 'poll'
await_said 'REM_ACCESS_ERR'
run 'explain'
await_said "4096 bytes at the peer's window + 0"
await_said 'next: -len 64 at most, from there'
ok 'too much for the window of somebody else'

# A server whose client fails and comes again: the new QP is the one that commands take.
window 0
run 'destroy -all'
run 'reg 64 -name inbox'
run 'listen 7471 -accept'
window 1
run 'destroy -all'
run 'reg 64 -name buf'
run 'connect 127.0.0.1 7471'
run 'post write buf -len 8 -remote 4096 -rkey 1'
run 'poll'
await_said 'REM_ACCESS_ERR'
window 0
run 'echo one'
clean
run 'post recv inbox -qp qp0'
await_said 'flushed at once: qp0 is in ERR'
run 'explain qp0'
await_said 'the client connects again, and its QP becomes the current one'
window 1
run 'destroy -all'
run 'reg 64 -name buf'
run 'connect 127.0.0.1 7471'
window 0
await_said 'ESTABLISHED with'
run 'echo two'
await 'qp[0-9]+:RTS> *$'
clean
run 'post recv inbox -qp qp0'
until_so 60 eval "screen | tr -s ' \n' ' ' | grep -Eq 'and the way back; -qp qp[1-9][0-9]* is connected'" ||
	fail 'the QP of the next client is not named'
run 'explain qp0'
until_so 60 eval "screen | tr -s ' \n' ' ' | grep -Eq 'next: -qp (qp[0-9]+), which is connected; or destroy qp0 -cascade: then \1 is'" ||
	fail 'explain does not name the QP of the next client'
run 'post recv inbox'
await_said 'RECV of 64 bytes'
await_said "'poll' takes its completion"
window 1
run 'post send buf -len 8'
run 'poll'
await_said 'SUCCESS SEND'
window 0
run 'poll'
await_said 'SUCCESS RECV'
window 1
ok 'a server goes on with the client that comes again'

# A block that is left by Ctrl-D: the session stays.
run 'destroy -all'
type 'foreach x {1 2} {'
key Enter
await '^ *\.\.\.>'
key C-d
await_prompt
run 'echo still here'
await '^still here$'
ok 'Ctrl-D in an open block'

# A client that has left when accept is typed: first it came, then it went.
run 'listen 7480 -name door'
window 0
clean
line 'connect 127.0.0.1 7480 -name quick; disconnect quick'
window 1
await_said 'CONNECT_REQUEST'
run 'accept'
until_so 60 eval "screen | tr -s ' \n' ' ' | grep -q 'ESTABLISHED with.*DISCONNECTED by'" ||
	fail 'it went before it came'
ok 'ESTABLISHED is told before DISCONNECTED'
line quit
await_end
window 0
await_prompt

# Requests that the end of a session cuts off.
run 'destroy -all'
run 'listen 7490 -accept'
run 'connect 127.0.0.1 7490 -name c'
run 'post send -text bye'
clean
line quit
await_said '(never completed: 1 send of qp'
await_said '(connections closed: c with 127.0.0.1:7490'
await_end
stop
echo 'ok: what the end of a session cuts off'

# With a pager: an example is on the first screen.
PAGER=less
start "$rdmash"
await_prompt
for example in 'help listen:listen 7471 -share window -accept' 'help post write:post write -text'; do
	line "${example%%:*}"
	await '^Space goes on, q goes back$'
	await "^  > ${example#*:}"
	key q
	await_prompt
done
stop
PAGER=
echo 'ok: an example on the first screen'

# The demo and the first lessons on a wide terminal and on a narrow one: nothing is wider than that, which
# is seen where tmux joins the lines that it has wrapped; and no word is cut.
overlong() {
	on_tmux capture-pane -pJ -S - | python3 -c '
import sys
for line in sys.stdin:
    if len(line.rstrip()) > int(sys.argv[1]):
        print(line.rstrip())' "$columns"
}
for size in 120x40 40x12; do
	columns=${size%x*} rows=${size#*x}
	start "$rdmash" -f "$(dirname "$0")/../../demo.rdma" \
		-c 'foreach i {1 2 3 4 5 6} {destroy -all; lesson play $i}; echo all of it' -- 1
	await '^all of it$'
	wide=$(overlong | grep -v '^> ' || :)
	[ -z "$wide" ] || fail "at $size these are wider: $wide"
	on_tmux capture-pane -p -S - | grep -q 'REMOTE_WRITE,' || fail "at $size rights are cut"
	on_tmux capture-pane -p -S - | grep -q '   \[RESET\] → INIT → RTR' || [ "$columns" -gt 40 ] ||
		fail 'boxes that are too wide'
	stop
	echo "ok: the demo and lessons at $size"
done

# Letters that a terminal does not have.
LC_ALL=C
rows=60
start "$rdmash"
await_prompt
run 'qp create'
run 'qp-state'
run 'lesson 3'
run 'devices'
await_said 'RESET'
! screen | LC_ALL=C grep -q '[^ -~]' || fail 'more than ASCII'
echo 'ok: ASCII where the locale has no more'
stop
