#!/bin/bash
# SPDX-License-Identifier: MIT
#
# trust.sh VTRACE UROCE PROGRAMS: what a traced program and others can do to vtrace, and vtrace to
# the program: the promises of docs/trust.md. PROGRAMS has traced_scribbler and traced_liar.
# shellcheck source-path=SCRIPTDIR source=../../uroce/tests/checks.sh
. "$(dirname "$0")/../../uroce/tests/checks.sh"
vtrace=$1 uroce=$2 programs=$3
start_checks

# a program that writes into the memory it shares with vtrace
for way in '' -j -c --timeline --stop-on=any "--record $tmp/script"; do
	# shellcheck disable=SC2086 # options
	timeout -k 5 60 "$vtrace" $way -o "$tmp/trace" "$uroce" "$programs/traced_scribbler" 200000 2>"$tmp/err"
	status=$? # what it has written may look like lost calls
	ok "scribbled on, vtrace $way" test "$status" = 0 -o "$status" = 125
done
for _ in {1..20}; do echo wc:status=RETRY_EXC_ERR; done >"$tmp/rules"
timeout -k 5 60 "$vtrace" --inject "@$tmp/rules" -o "$tmp/trace" "$uroce" "$programs/traced_scribbler" 200000 \
	2>"$tmp/err"
status=$?
ok "scribbled on the rules of --inject" test "$status" = 0 -o "$status" = 125

# a program whose device and arguments have names that do something
name=$'[exec x]\e]0;"\\\nexec x'
"$vtrace" -o "$tmp/trace" "$uroce" "$programs/traced_liar" "$name"
ok "a device's name is no code of the terminal" test -z "$(tr -d '\n[:print:]' <"$tmp/trace")"
"$vtrace" -j -o "$tmp/trace" "$uroce" "$programs/traced_liar" "$name"
ok "nor the end of a string of JSON" python3 -c 'import json, sys
for line in open(sys.argv[1]): json.loads(line)' "$tmp/trace"
"$vtrace" --record "$tmp/script" "$uroce" "$programs/traced_liar" "$name"
ok "nor a command of the recorded script" test -z "$(grep -v '^#' "$tmp/script" | grep -E '^exec|\[exec x\]')"

# a limit of the size of files is for vtrace's memory, too
no_files() { (ulimit -f 0; "$vtrace" -q "$uroce" "$programs/traced_program" calls 3) 2>&1; }
no_files | grep -q '^vtrace: shared memory: File too large' || not_ok 'a limit of the size of files'
# a program that has no room for its calls: it is not said that it has made none
"$vtrace" -o "$tmp/trace" "$uroce" bash -c "ulimit -v 300000; exec '$programs/traced_program' calls 3" >/dev/null 2>"$tmp/err"
if grep -q ' were not traced' "$tmp/err"; then
	ok "a program without room for its calls" test "$(grep -c 'no call of libibverbs or librdmacm was seen' "$tmp/err")" = 0
fi
# programs before which nothing can be loaded, or that are none
mkfifo "$tmp/fifo"
chmod +x "$tmp/fifo"
fifo_status=0
timeout -k 5 60 "$vtrace" "$tmp/fifo" 2>"$tmp/err" || fifo_status=$?
ok "a FIFO is no program, and nobody waits for its other end" test "$fifo_status" = 126
no_proc() { unshare --mount sh -c 'mount -t tmpfs none /proc && exec "$@"' sh "$@" 2>&1; }
! no_proc true || ok "/proc is missing: vtrace says so" grep -q '/proc is not mounted here: mount' <(no_proc "$vtrace" true)
# the packets that vtrace wants have no room: that is no failure of the program
mkdir "$tmp/full"
# shellcheck disable=SC2016 # sh knows them
full_folder() {
	unshare --mount sh -c 'mount -t tmpfs -o size=8k none "$0" && head -c 16000 /dev/zero >"$0/f"
		TMPDIR=$0 exec "$@"' "$tmp/full" "$@"
}
if unshare --mount mount -t tmpfs none "$tmp/full" 2>/dev/null; then
	full_status=0
	full_folder "$vtrace" --timeline -o "$tmp/trace" "$uroce" "$programs/traced_program" calls 3 2>"$tmp/err" ||
		full_status=$?
	ok "a program goes on where its packets cannot be captured" test "$full_status" = 0
	ok "which is said" grep -q 'No space left on device: no packets of this process are captured' "$tmp/err"
fi
# a program that puts a link in the place of vtrace's directory
mkdir "$tmp/precious"
touch "$tmp/precious/file"
TMPDIR=$tmp "$vtrace" --timeline -o "$tmp/trace" "$uroce" "$programs/traced_liar" uroce0 "$tmp/precious"
ok "vtrace removes its own captures only" test -e "$tmp/precious/file"

# a program that is rough with its device
rough() { timeout -k 5 60 "$uroce" "$vtrace" --timeline -o "$tmp/trace" "$programs/traced_rough" 10.0.0.1 "$@"; }
ok "what the device writes is not for the files that have its descriptors' numbers now" rough closed
ok "exec opens the device anew, captures and all" rough exec 3
ok "--record of 2,000 requests ends" timeout -k 5 120 "$uroce" "$vtrace" -q --record "$tmp/script" \
	-o "$tmp/trace" "$programs/traced_rough" 10.0.0.1 many
rough_status=0
timeout -k 5 120 "$uroce" "$vtrace" -q --record /dev/full -o "$tmp/trace" "$programs/traced_rough" 10.0.0.1 many \
	>"$tmp/out" 2>"$tmp/err" || rough_status=$?
ok "also on a full disk" test "$rough_status" = 125
ok "which is named" grep -q '^vtrace: /dev/full: No space left on device' "$tmp/err"
# a program that posts what cannot be posted, which the device alone refuses
for way in '' --check --timeline "--record $tmp/script"; do
	# shellcheck disable=SC2086 # options
	ok "impossible lists, vtrace $way" timeout -k 5 120 "$vtrace" $way -o "$tmp/trace" "$uroce" \
		"$programs/traced_rough" 10.0.0.1 odd
done
ok "a file that cannot be opened now is not waited for" timeout -k 1 120 "$vtrace" --timeline -o "$tmp/trace" \
	"$uroce" "$programs/traced_rough" 10.0.0.1 lease
timeout -k 5 60 "$uroce" "$programs/traced_rough" 10.0.0.1 closed
ok "nor without vtrace; and the device's end is not awaited for ever" test $? = 0

# wait_until COMMAND...: at most 20 s
wait_until() {
	local i
	for ((i = 0; i < 400; i++)); do
		"$@" 2>/dev/null && return
		sleep 0.05
	done
	return 1
}
has_ended() { ! kill -0 "$1" 2>/dev/null || grep -q '^State:.Z' "/proc/$1/status" 2>/dev/null; }

# vtrace is killed, and its parent does not wait for it: the program goes on when its rings are full
python3 - "$tmp" "$vtrace" -o "$tmp/trace" "$uroce" "$programs/traced_program" endless "$tmp/done" <<-'END' &
	import os, subprocess, sys, time
	p = subprocess.Popen(sys.argv[2:])
	while not os.path.exists(sys.argv[-1] + ".begun"):
	    time.sleep(0.02)
	p.kill()
	open(sys.argv[1] + "/killed", "w").close()
	time.sleep(60)
END
parent=$!
started+=("$parent")
ok "vtrace is killed" wait_until test -e "$tmp/killed"
ok "the program outlives a vtrace that nobody has waited for" wait_until test -e "$tmp/done"
kill "$parent"

# in another PID namespace
ok "a PID namespace" timeout -k 1 120 "$vtrace" -f -o "$tmp/trace" "$uroce" unshare -pf --mount-proc \
	"$programs/traced_program" calls 3
ok "its calls are seen, with the number that the process has here" grep -q '^[0-9:.]* \[[0-9]\{2,\}\] ibv_alloc_pd' "$tmp/trace"

# a program of another user, traced by root
if ! setpriv --reuid 12345 --regid 12345 --clear-groups test -x "$uroce" 2>/dev/null; then
	echo "not checked: another user, who cannot reach $uroce here"
else
	chmod 755 "$tmp"
	cp "$programs/traced_program" "$programs/traced_scribbler" "$tmp"
	# a network of its own: a program of root that is still ending has the port of this one
	apart() { unshare --net sh -c 'ip link set lo up && exec "$@"' sh "$@"; }
	ok "a program of another user" apart timeout -k 1 120 "$vtrace" -o "$tmp/trace" \
		setpriv --reuid 12345 --regid 12345 --clear-groups "$uroce" "$tmp/traced_program" calls 3
	ok "its calls are seen, too" grep -q ' ibv_alloc_pd ' "$tmp/trace"
	ok "with its packets" apart timeout -k 1 120 "$vtrace" --timeline -o "$tmp/trace" \
		setpriv --reuid 12345 --regid 12345 --clear-groups "$uroce" "$tmp/traced_program" calls 3
	ok "it has its device" grep -q ' ibv_alloc_pd ' "$tmp/trace"
	if setcap cap_net_raw+ep "$tmp/traced_program" 2>/dev/null; then
		setpriv --reuid 12345 --regid 12345 --clear-groups "$vtrace" -o /dev/null \
			"$tmp/traced_program" calls 1 >/dev/null 2>"$tmp/err"
		ok "nothing is loaded before a file with capabilities" \
			grep -q 'traced_program is a file with capabilities, and the system loads nothing' "$tmp/err"
	fi
	apart timeout -k 5 60 "$vtrace" -o "$tmp/trace" setpriv --reuid 12345 --regid 12345 --clear-groups \
		"$uroce" "$tmp/traced_scribbler" 200000 2>"$tmp/err"
	status=$?
	ok "that program scribbles" test "$status" = 0 -o "$status" = 125
fi

# signals: those of vtrace end it
# ends WHAT N: SIGTERM N times ends vtrace $!
ends() {
	local pid=$! i
	for ((i = 0; i < $2; i++)); do
		kill -TERM $pid
		sleep 0.1
	done
	ok "$1" wait_until has_ended $pid
	kill -9 $pid 2>/dev/null
}
waits_in() { grep -q "$1" "$tmp/trace"; }
rm "$tmp/trace"
"$vtrace" -f -o "$tmp/trace" "$uroce" sh -c "'$programs/traced_program' hang & echo \$! >$tmp/child" >/dev/null 2>&1 &
wait_until waits_in ibv_open_device
wait_until test ! -e "/proc/$(pgrep -P $! | head -n 1)/exe"
ends "SIGTERM when the program has ended, and its child has not" 1
kill "$(cat "$tmp/child")"
rm "$tmp/trace"
"$vtrace" -o "$tmp/trace" "$uroce" sh -c "trap '' TERM; exec '$programs/traced_program' hang" >/dev/null 2>&1 &
wait_until waits_in ibv_open_device
child=$(pgrep -P $!)
ends "the third SIGTERM, when the program ignores it" 3
ok "the program goes on" kill -0 "$child"
kill -9 "$child"
rm "$tmp/trace"
"$vtrace" -o "$tmp/trace" "$uroce" "$programs/traced_program" hang >/dev/null 2>&1 &
wait_until waits_in ibv_open_device
child=$(pgrep -P $!)
kill -STOP $!
kill -TERM "$child"
kill -9 $!
ok "a signal ends the program when vtrace has ended and cannot look at it" wait_until has_ended "$child"
rm "$tmp/trace"
"$vtrace" -o "$tmp/trace" "$uroce" "$programs/traced_program" hang >/dev/null 2>&1 &
wait_until waits_in ibv_open_device
child=$(pgrep -P $!)
kill -STOP $!
SECONDS=0
for i in 1 2 3; do
	kill -TERM "$child"
	sleep 0.1
done
wait_until has_ended "$child"
ok "the third signal ends the program at once when vtrace is stopped" test $SECONDS -lt 15
kill -CONT $!
wait $!

# what a parent has handed on: signals that are blocked, or ignored; streams that are closed
# with_signals HOW COMMAND...
with_signals() {
	timeout -k 1 120 python3 -c 'import os, signal, sys
if sys.argv[1] == "blocked": signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGCHLD, signal.SIGTERM])
else: signal.signal(signal.SIGCHLD, signal.SIG_IGN)
os.execv(sys.argv[2], sys.argv[2:])' "$@"
}
for how in blocked ignored; do
	status=0
	with_signals $how "$vtrace" -o "$tmp/trace" "$uroce" "$programs/traced_program" exit 7 || status=$?
	ok "SIGCHLD is $how" test "$status" = 7
	ok "SIGCHLD is $how, --inject-each" with_signals $how "$uroce" "$vtrace" --inject-each=ibv_alloc_pd \
		-o "$tmp/trace" "$programs/traced_program" calls 1
	ok "the program has it so" with_signals $how "$vtrace" -q python3 -c 'import signal, sys
blocked = signal.SIGCHLD in signal.pthread_sigmask(signal.SIG_BLOCK, [])
ignored = signal.getsignal(signal.SIGCHLD) == signal.SIG_IGN
sys.exit((blocked, ignored) != (sys.argv[1] == "blocked", sys.argv[1] == "ignored"))' $how
done
"$vtrace" -j -o "$tmp/trace" "$uroce" "$programs/traced_program" exit 7 2>&-
ok "what is said to a closed stderr is not in the trace" python3 -c 'import json, sys
for line in open(sys.argv[1]): json.loads(line)' "$tmp/trace"

# a script that nobody reads is being written, or will be: one signal is enough
mkfifo "$tmp/script-fifo"
exec 7<>"$tmp/script-fifo"
"$uroce" "$vtrace" -q --record "$tmp/script-fifo" -o "$tmp/trace" "$programs/traced_rough" 10.0.0.1 many 2>/dev/null &
has_no_child() { ! pgrep -P "$1" >/dev/null; }
has_child() { pgrep -P "$1" >/dev/null; }
wait_until has_child $!
wait_until has_no_child $!
ends "SIGTERM when the program has ended, and its recording is not written" 1
exec 7>&-

# a trace that is not complete
status=0
"$vtrace" -o /dev/full "$uroce" "$programs/traced_program" calls 3 >/dev/null 2>"$tmp/err" || status=$?
ok "a full disk has an exit code of its own" test "$status" = 125
ok "and is named" grep -q '/dev/full: No space left on device: the trace is incomplete' "$tmp/err"
status=0
"$vtrace" --report /dev/full -q "$uroce" "$programs/traced_program" calls 3 >/dev/null 2>"$tmp/err" || status=$?
ok "a report that cannot be written, too" test "$status" = 125
status=0
"$uroce" "$vtrace" --inject-each=ibv_alloc_pd -o /dev/full "$programs/traced_program" calls 1 >/dev/null 2>&1 ||
	status=$?
ok "and rows of --inject-each" test "$status" = 125

# names that would control a terminal
evil=$tmp/$'evil\e]0;owned\a'
cp "$programs/traced_program" "$evil"
for way in '-f' '-j' '-c' '--timeline'; do
	"$vtrace" $way "$uroce" "$evil" exit 3 >"$tmp/seen" 2>&1
	"$vtrace" $way "$uroce" "$evil" calls 1 >>"$tmp/seen" 2>&1
	ok "vtrace $way writes no control characters" test "$(tr -d '\n\t' <"$tmp/seen" | LC_ALL=C grep -c '[[:cntrl:]]')" = 0
done
evil=$tmp/$'evil\xff\xf3\xa0\x81\x81'
cp "$programs/traced_program" "$evil"
for way in '-j' '--timeline -j' '-c -j' '--check=all -j'; do
	# shellcheck disable=SC2086 # options
	"$vtrace" $way -o "$tmp/trace" "$uroce" "$evil" flush 3 >/dev/null 2>&1
	ok "vtrace $way is JSON, whatever the program is called" python3 -c 'import json, sys
for line in open(sys.argv[1]): json.loads(line)' "$tmp/trace"
done
ok "what they are is shown" grep -q 'evil.x1b\]0;owned.x07' "$tmp/seen"
finish
