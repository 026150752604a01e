#!/bin/sh
# SPDX-License-Identifier: MIT
# Ctrl-C and other signals end a script, whatever it does, with exit code 4.
. "$(dirname "$0")/run.inc"

# sh has its background children ignore SIGINT, and what is ignored stays ignored
env --default-signal=INT true 2>/dev/null || { echo "env knows no --default-signal"; exit 77; }

# Does the process run? It does not while it waits for something, nor after its end.
runs() {
	grep -qs '^State:.[RD]' "/proc/$1/status"
}

# signalled NAME SIGNAL SCRIPT WANTED [OPTION ...]: the script says "ready" before it is signalled
# (and waits, if $waits is yes), and prints WANTED after that
waits=no
signalled() {
	name=$1 signal=$2 wanted=${4-}
	printf 'puts ready\n%s\necho not reached\n' "$3" >sig.rdma
	shift 3
	[ $# = 0 ] || shift
	rm -f fifo
	mkfifo fifo
	env --default-signal=INT "$rdmash" -k "$@" sig.rdma >fifo 2>err.txt &
	pid=$!
	exec 4<fifo
	read -r line <&4
	has "$name: ready" "$line" ready
	while [ $waits = yes ] && runs $pid; do sleep 0.01; done
	kill "-$signal" $pid
	(sleep 10; kill -KILL $pid) >/dev/null 2>&1 &
	watch=$!
	wait $pid
	code=$?
	kill $watch 2>/dev/null
	rest=$(cat <&4)
	exec 4<&-
	wants "$name" "$code $rest" "4 $wanted"
	has "$name: err" "$(cat err.txt)" interrupted
}

for signal in INT TERM HUP; do
	signalled "busy, $signal" $signal 'while 1 {catch {while 1 {}}}'
	signalled "in a proc, $signal" $signal 'proc p {} {while 1 {catch {p2}}}; proc p2 {} {set x 1}; p'
	signalled "sleeping, $signal" $signal 'sleep 60s'
	signalled "sleeping, caught, $signal" $signal 'while 1 {catch {sleep 60s}}'
	signalled "repeating, $signal" $signal 'repeat 1000000000 {catch {sleep 1}}'
done

# ... also where there is a report: it is whole, and names the check that was waiting. That cannot say
# "ready" itself: a command of its condition might be what is interrupted.
waits=yes
for signal in INT TERM; do
	signalled "within a check, $signal" $signal 'expect -name waits -value 1 {wait until 0}' \
		'not ok 1 waits
# interrupted
#   check       waits
#   at          sig.rdma:2
1..1
0 checks passed, 0 failed, errors: 1'
	error='"where":"sig.rdma:2","error":"interrupted","call":"wait until","code":"EINTR","rows":[{"label":"check","text":"waits"}]}'
	signalled "as JSON, $signal" $signal 'expect -name waits -value 1 {wait until 0}' \
		'{"check":1,"name":"waits","ok":false,'"$error"'
{"checks":1,"passed":0,"failed":0,"errors":1}' --json
	wants "as JSON, $signal: err" "$(cat err.txt)" "{$error"
done

# a pipe that nobody writes to, as a script
for signal in INT TERM; do
	rm -f fifo
	mkfifo fifo
	env --default-signal=INT "$rdmash" fifo >/dev/null 2>err.txt &
	pid=$!
	# it is open: writing to it would not wait
	until [ -e /proc/$pid/fd ] && readlink /proc/$pid/fd/* | grep -q '/fifo$'; do sleep 0.05; done
	kill "-$signal" $pid
	(sleep 10; kill -KILL $pid) >/dev/null 2>&1 &
	watch=$!
	wait $pid
	wants "reading a pipe, $signal" $? 4
	kill $watch 2>/dev/null
done
# what Tcl does not let go of: a third signal ends the program all the same
for signals in 'INT INT INT' 'TERM TERM TERM' 'INT TERM HUP'; do
	printf 'puts ready\nregexp [string repeat ( 1000][string repeat ) 1000] x\n' >sig.rdma
	rm -f fifo
	mkfifo fifo
	env --default-signal=INT "$rdmash" sig.rdma >fifo 2>err.txt &
	pid=$!
	exec 4<fifo
	read -r line <&4
	# it has computed for half a second: what is before the pattern is done
	until [ "$(cut -d' ' -f14 /proc/$pid/stat)" -gt 50 ]; do sleep 0.05; done
	for signal in $signals; do
		kill -0 $pid || wants "$signals: it runs before $signal" over running
		kill "-$signal" $pid
		# it has been delivered
		while grep -qs '^ShdPnd:.*[1-9a-f]' /proc/$pid/status; do sleep 0.01; done
	done
	(sleep 10; kill -KILL $pid) >/dev/null 2>&1 &
	watch=$!
	wait $pid
	wants "$signals in a built-in command" "$? $(cat err.txt)" \
		'4 rdmash: ended by the third signal: a built-in command did not stop'
	kill $watch 2>/dev/null
	exec 4<&-
done
finish
