#!/bin/sh
# SPDX-License-Identifier: MIT
# trust.sh RDMASH: what a client may not do, even through methods that evaluate what it sends,
# be they typed or from a script. In a network of its own: on.sh uroce.
# shellcheck source=shell/tests/run.inc
. "$(dirname "$0")/../../../shell/tests/run.inc"

mkdir outside lib
echo hush >outside/secret
cat >lib/methods.rdma <<'EOF'
rpc serve sum args {expr [join $args +]}
rpc serve run script {eval $script}
rpc serve safe args:int {set sum 0; foreach x $args {incr sum $x}; set sum}
rpc serve add {a b} {expr {$a + $b}}
EOF
# calls WHAT COMMAND...: of what a client sends, nothing may be done outside
calls() {
	what=$1
	shift
	run -k "$@" -c 'set rpc [dict get [rpc connect 127.0.0.1 [dict get [rpc listen 0] port]] name]' \
		-c 'proc tried {method arg} {catch {rpc call $::rpc $method $arg} why; echo tried: $why}' \
		-c "tried sum {[peer z -command {sh -c \"id >$dir/outside/ran\"} -within 1s]}" \
		-c "tried sum {[text save $dir/outside/written x]}" \
		-c "tried run {text load $dir/outside/secret}" \
		-c "tried run {source $dir/outside/secret}" \
		-c "tried run {record $dir/outside/record}" \
		-c "tried run {proc ::show args {text save $dir/outside/later x}; proc ::unknown args {show}}" \
		-c "tried run {tcl_trace add execution ::show enter {apply {args {text save $dir/outside/trace x}}}}" \
		-c "tried run {tcl_trace add variable ::v write {apply {args {text save $dir/outside/trace x}}}}" \
		-c "tried run {coroutine ::co apply {{} {yield; text save $dir/outside/co x}}}" \
		-c 'show; set v 1; catch nosuch; catch co; echo [expr {1 + 1}]' \
		-c 'tried safe {[quit 9]}' -c 'tried add {[quit 9]}' \
		-c 'echo [rpc call $rpc safe 1 2 3] [rpc call $rpc add 1 2]'
	wants "$what: nothing done" "$(ls outside)" secret
	wants "$what: all was tried" "$(echo "$out" | grep -c '^tried')" 11
	case $out in *hush*) wants "$what: nothing read" "$out" 'no secret' ;; esac
	has "$what: the safe form" "$out" "is not an int"
	has "$what: and works" "$out" '6 3'
}
calls 'methods that are typed' -c "$(cat lib/methods.rdma)"
has 'typed: no files' "$out" 'may not use files'
calls "a script's methods" -f lib/methods.rdma
has 'of a script: its own files' "$out" "outside the script's directory $dir/lib"

# the help's own examples
run -q -c 'rpc serve sum args:int {set sum 0; foreach x $args {incr sum $x}; set sum}' \
	-c 'set rpc [dict get [rpc connect 127.0.0.1 [dict get [rpc listen 0] port]] name]' \
	-c 'echo [rpc call $rpc sum 1 2 3]; rpc call $rpc sum {[quit 9]}'
wants "help's example" "$code $out" '1 6'
run -q -c 'proc mine {} {return mine}; rpc serve call {} {mine}; set n 1; rpc serve count {} {incr ::n}' \
	-c 'set rpc [dict get [rpc connect 127.0.0.1 [dict get [rpc listen 0] port]] name]' \
	-c 'rpc call $rpc count; rpc call $rpc count; echo $n; catch {rpc call $rpc call} why; echo $why; set n 10; echo [rpc call $rpc count]'
wants 'variables, not procs' "$code $out" "0 3
unknown command 'mine'
11"

# without -address nobody else reaches it
run -c 'echo [dict get [rpc listen 0] address]; echo [dict get [rpc listen 0 -address :: -name all] address]'
wants 'loopback' "$(echo "$out" | sed 's/[0-9]*$//')" '127.0.0.1:
[::]:'
finish
