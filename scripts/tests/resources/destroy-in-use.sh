#!/bin/sh
# SPDX-License-Identifier: MIT
# destroy-in-use.sh RDMASH SCRIPT: objects that are destroyed while something still uses them. The script
# has the cases that one process can make; those that need standard input are here.
# shellcheck source-path=SCRIPTDIR source=/dev/null
# shellcheck disable=SC2016,SC2154 # run.inc sets them
script=$2
. "$(dirname "$0")/../../../shell/tests/run.inc"

# a server in a cascade destroys its QP while the cascade still means to
run -c 'rpc listen 0' -c 'destroy pd0 -cascade' -c 'rpc show' \
	-c 'expect -value 1 {dict size [show]}'
wants 'a cascade over an rpc server' "$code $err" '0 '
run -c 'rpc listen 0' -c 'set cq [lsearch -inline [dict keys [show]] rpc.cq*]' \
	-c 'qp create -cq $cq -name q' -k -c 'rpc close' -c 'rpc show'
has 'what others use of a server stays' "$err" 'is in use by q'
has 'and the server' "$out" 'rpc server server0'

# both ends of a connection stop in step mode: each call has its own answer, in order
yes '' | timeout 60 "$rdmash" -c 'listen 7471 -accept' -c 'step on' -c 'connect 127.0.0.1 7471' \
	>out.txt 2>err.txt
wants 'step at both ends: code' $? 0
for call in rdma_resolve_addr rdma_connect rdma_accept; do
	has 'step at both ends' "$(cat err.txt)" "step   $call "
done
has 'step at both ends: result' "$(cat out.txt)" ESTABLISHED
yes '' | timeout 60 "$rdmash" -c 'listen 7471 -accept' -c 'connect 127.0.0.1 7471 -name c' \
	-c 'step on' -c 'disconnect c -destroy' -c 'destroy -all' >out.txt 2>err.txt
wants 'step while both ends are destroyed: code' $? 0
case $(cat err.txt) in *Sanitizer*) cat err.txt >&2; failures=$((failures + 1)) ;; esac

run "$script"
wants 'the script' "$code" 0
[ "$code" = 0 ] || cat out.txt err.txt >&2
finish
