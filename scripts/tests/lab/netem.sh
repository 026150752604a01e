#!/bin/bash
# SPDX-License-Identifier: MIT
#
# netem.sh RDMASH: rxe-lab --netem: the wire loses packets in both directions, the data
# arrives nevertheless, and the devices' counters show how often packets were sent again.

# shellcheck source-path=SCRIPTDIR source=lib.sh disable=SC2016
. "$(dirname "$0")/lib.sh"
rdmash=$1
can_run pair

# shellcheck disable=SC2016	# for the machines' shells
"$lab" pair --netem 'loss 3%' "tc qdisc show dev eth0; '$rdmash' -q -f '$scripts/labs/netem.rdma' server" \
	"'$rdmash' -q -f '$scripts/labs/netem.rdma' client 10.0.0.1" > "$tmp/out" 2>&1
equal 'pair: status' $? 0
has 'the server has it' "$tmp/out" '^h1: qdisc netem .*loss 3%'
has 'the client sent something again' "$tmp/out" '^h2: +(completer_retry_err|rcvd_seq_err) +\+[1-9]'
has 'the server saw it' "$tmp/out" '^h1: +(duplicate_request|out_of_seq_request) +\+[1-9]'

"$lab" run --netem='delay 30ms' 'for i in eth0 eth1; do tc qdisc show dev $i; done
	busybox ping -q -c 1 10.0.0.2' > "$tmp/out" 2>&1
equal 'run: both ports' "$(grep -c '^qdisc netem .*delay 30ms' "$tmp/out")" 2
has 'run: there and back' "$tmp/out" 'round-trip .* = [6-9][0-9]\.'

"$lab" run --netem 'lose 3%' true > "$tmp/out" 2>&1
equal 'a word that tc does not know' $? 125
has 'is named' "$tmp/out" 'netem lose 3%'
"$lab" run -l dummy --netem 'loss 3%' true > "$tmp/out" 2>&1
equal 'no wire' $? 125
"$lab" run --netem > "$tmp/out" 2>&1
equal 'no words' $? 125
"$lab" run --natem 'loss 1%' true > "$tmp/out" 2>&1
equal 'no such option' $? 125
nothing_left 'after all of them'
finish
