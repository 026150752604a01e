#!/bin/sh
# SPDX-License-Identifier: MIT
# shellcheck disable=SC1091,SC2016,SC2034,SC2154
# prompt.sh RDMASH: an rpc server at the prompt serves calls while a line is being typed. The
# line stays unchanged; what a body prints appears above it. In a network of its own: on.sh uroce.
. "$(dirname "$0")/../../../shell/tests/tty/tmux.sh"

rdmash=$1
columns=100
start "$rdmash"
await "$prompt"
line 'rpc serve greet name {echo "a call from $name"; return "hello, $name"}'
await 'greet \{name\}'
line 'rpc listen 7100'
await 'rpc server server0'
type 'rpc call rpc0 half ty'
await 'half ty'

"$rdmash" -q -c 'rpc connect 127.0.0.1 7100' -c 'echo [rpc call rpc0 greet bob]' \
	>"$dir/out" 2>&1 || { cat "$dir/out" >&2; fail 'the call has failed'; }
grep -q '^hello, bob$' "$dir/out" || { cat "$dir/out" >&2; fail 'the reply is another'; }
await '^a call from bob$'
await 'client0 has left, 1 calls answered'
last_is_typed() {
	screen | grep . | tail -n 1 | grep -q '> rpc call rpc0 half ty'
}
until_so 60 last_is_typed || fail 'the line that is being typed is not the last one'
key C-c

# both ends here: the server works while rpc call waits
line 'rpc connect 127.0.0.1 7100'
await 'rpc rpc0  UD  up'
line 'rpc call rpc0 greet me'
await '^a call from me$'
await '^hello, me$'
line 'rpc close'
line 'get server0'
await 'no object named server0'
line 'quit'
await '^\[ended'
echo ok
