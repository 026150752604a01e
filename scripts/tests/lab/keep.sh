#!/bin/bash
# SPDX-License-Identifier: MIT
#
# rxe-lab up, down, -U: machines that stay up. Each command finds new ports and nothing of
# the commands before it. A machine that ends or hangs is started again, and whoever waits is told so.

# shellcheck source-path=SCRIPTDIR source=lib.sh disable=SC2016
. "$(dirname "$0")/lib.sh"
can_run pair
name=test-$$
trap '"$lab" down "$name"; rm -rf "$tmp"' EXIT

in_it() {
	"$lab" run -n -U "$name" "$@"
}

# the QEMU of the one machine that is up, or will be: its job's directory is below $tmp
qemu() {
	pgrep -f "qemu-system.*$tmp/rxe-lab"
}

"$lab" run -U "$name" true > "$tmp/out" 2>&1
equal 'not up: status' $? 125
has 'not up: what to do' "$tmp/out" "rxe-lab up run $name"
"$lab" up -t 600 run "$name" &
up=$!
until qemu > /dev/null; do sleep 0.05; done
kill -STOP "$(qemu)"
wait $up
equal 'up, with a machine that stands still before it is ready' $? 0
"$lab" up run "$name" > "$tmp/out" 2>&1
equal 'up twice: status' $? 125
has 'up twice: what to do' "$tmp/out" "rxe-lab down $name"

in_it 'echo out; echo err >&2; exit 7' > "$tmp/out" 2> "$tmp/err"
equal 'a command: status' $? 7
equal 'a command: output' "$(cat "$tmp/out" "$tmp/err")" $'out\nerr'
equal 'standard input' "$(echo hello | "$lab" run -U "$name" cat)" hello
equal 'no boot in between' "$(in_it cat /proc/sys/kernel/random/boot_id)" \
	"$(in_it cat /proc/sys/kernel/random/boot_id)"

in_it 'ip addr add 10.0.0.9/24 dev eth0; tc qdisc add dev eth0 root netem loss 100%
	touch /lab/mine; rdma link del rxe1; sleep 1000 & setsid sleep 1001 & exit 0'
equal 'a command that leaves things: status' $? 0
in_it 'ip addr show eth0; tc qdisc show dev eth0; ls /lab; rdma link; ps ax' > "$tmp/out" 2>&1
equal 'no address, netem, file and process of it' \
	"$(grep -cE '10\.0\.0\.9/24|netem|mine|sleep 100' "$tmp/out")" 0
has 'both devices are there' "$tmp/out" 'link rxe1/1 state ACTIVE'
"$lab" run -n -t 2 -U "$name" sleep 1000 2> "$tmp/err"
equal 'a time limit' $? 124
ok 'goes on after it' in_it true
"$lab" run -n -U "$name" -c 2 true 2> "$tmp/err"
equal 'what they cannot do' $? 125
equal 'is done by a machine of its own, if nobody named them' \
	"$(RXE_LAB_UP=$name "$lab" run -n -c 2 nproc)" 2

# It ends, or stands still, under a command: this one is told, and the next one finds a new one.
for signal in KILL STOP; do
	boot=$(in_it cat /proc/sys/kernel/random/boot_id)
	in_it 'echo begun; sleep 1000' > "$tmp/out" 2> "$tmp/err" &
	job=$!
	until [ -s "$tmp/out" ]; do sleep 0.1; done
	kill "-$signal" "$(qemu)"
	wait $job
	equal "$signal: status" $? 125
	has "$signal: it is told" "$tmp/err" 'machine 1 (ended|stood still for 40 s), and is started again'
	ok "$signal: the next command" in_it "[ \$(cat /proc/sys/kernel/random/boot_id) != $boot ]"
done

# A kernel that runs nothing else any more says where it is.
in_it 'echo -1 > /proc/sys/kernel/sched_rt_runtime_us
	exec chrt -f 99 bash -c "while :; do :; done"' > /dev/null 2> "$tmp/err"
equal 'a processor that never yields: status' $? 125
has 'a processor that never yields: the registers' "$tmp/err" '^RIP='
has 'a processor that never yields: the trace' "$tmp/err" 'PID: [0-9]+ Comm: bash'

ok 'a pair' "$lab" up -t 600 pair "$name"
for _ in 1 2; do
	"$lab" pair -U "$name" 'rping -s -a 10.0.0.1 -C 3' 'rping -c -a 10.0.0.1 -C 3 && hostname' > "$tmp/out" 2>&1
	equal 'rping between them: status' $? 0
	has 'rping between them' "$tmp/out" '^h2: h2$'
done
ok 'down, all of that name' "$lab" down "$name"
"$lab" run -U "$name" true 2> "$tmp/err"
equal 'is down' $? 125
ok 'they end by themselves' "$lab" up -t 60 run "$name"
until [ -z "$(left_processes)" ]; do sleep 0.2; done
nothing_left 'after all of them'
finish
