#!/bin/bash
# SPDX-License-Identifier: MIT
# peer.sh RDMASH: another rdmash, driven from this one: what launchers print, how peers
# end, and two networks. To be run by 'on.sh uroce'.
# shellcheck disable=SC2016,SC2154,SC1091 # dollars are Tcl's; run.inc sets variables
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../../../shell/tests/run.inc"

# gone PID: within 30 seconds; a zombie is gone, too
gone() {
	for _ in {1..600}; do
		kill -0 "$1" 2>/dev/null || return 0
		grep -q '^State:.Z' "/proc/$1/status" 2>/dev/null && return 0
		sleep 0.05
	done
	return 1
}

# --- both ends, step by step ---

run -X -f "$here/peer.rdma"
wants 'peer.rdma: exit code' "$code" 0
[ "$code" = 0 ] || printf '%s\n%s\n' "$out" "$err" >&2
has 'notices have the name' "$err" '* cm    b: id1: DISCONNECTED by peer'
has 'what fails in the background is told' "$err" "* peer  b: no-such-command: unknown command"
run -q -X -f "$here/peer.rdma"
wants 'with -q no notice of a device' "$(grep -E '^\* (cm|async|cq) ' <<<"$err")" ''
has 'but what fails in the background' "$err" "* peer  b: no-such-command: unknown command"
# its expectations have its own numbers and counts; one that fails there fails here, unless it is caught
run -q -X -k -c 'peer b' -c 'expect -true 1 -name mine' -c '@b {expect -true 1 -name its}' \
	-c 'catch {@b {expect -true 0 -name bad}}' -c 'expect -true 1 -name "mine, too"' \
	-c '@b {expect -true 0 -name bad}'
wants 'expectations of both ends' "$code|$(grep -E '^(b\| )?(not )?ok|^1\.\.|checks' <<<"$out")" "3|ok 1 mine
b| ok 1 its
b| not ok 2 bad
ok 2 mine, too
b| not ok 3 bad
not ok 3 expected true, got false (-c:1)
1..3
2 checks passed, 1 failed
# b: 1 checks passed, 2 failed"

# --- what is printed where: names, order, formats ---

run -X -c 'peer b' -c '@b {echo one
	reg 64 -name r
	set n 3
}' -c 'echo [@b echo two][@b get r len]' -c 'repeat 1 {@b echo three}' -c 'echo four'
wants 'labels' "$(sed 's/^b  idle .*/b/; s/^b| mr r .*/b| mr r/' <<<"$out")" 'b
b| one
b| mr r
b| two
64
b| three
four'
run -X --json -c 'peer b' -c '@b echo hi' -c '@b reg 100' -c 'echo [@b get mr0 len]'
has 'JSON: text' "$out" '{"peer":"b","value":"hi"}'
has 'JSON: a result' "$out" '{"peer":"b","value":{"name":"mr0","len":100,'
wants 'JSON: each line is a value' "$(sed -n '$p' <<<"$out")" '"100"'
run -q -X -c 'trace all; peer b' -c '@b reg 100; reg 100'
has 'trace there' "$err" 'b|   '
wants 'trace: in order' "$(sed -n 's/^\(b| \)\?.*\(ibv_[a-z]*_[mp][rd]\) .*/\1\2/p' <<<"$err")" \
	'b| ibv_alloc_pd
b| ibv_reg_mr
ibv_alloc_pd
ibv_reg_mr
b| ibv_dereg_mr
b| ibv_dealloc_pd
ibv_dereg_mr
ibv_dealloc_pd'
printf 'peer b\n@b {\n\n\techo a\n\tnonsense\n}\n' >lines.rdma
run -q -X -f lines.rdma
has 'an error names its line here' "$err" "lines.rdma:5: unknown command 'nonsense'"
has 'and the peer' "$err" '  on          b'
wants 'and is a failed command' "$code" 1
mkdir sub
echo nonsense >part.rdma
printf 'peer b\n@b source part.rdma\n' >sub/lines.rdma
run -q -X --unsafe -f sub/lines.rdma
wants 'a file is called as it was found' "${err%%:*}" part.rdma
printf 'peer b\nset k [@b get nothing rkey]\n' >lines.rdma
run -q -X -f lines.rdma
has 'of a command, too' "$err" 'lines.rdma:2: there is no object named nothing'
run -q -X -k -c 'peer b' -c '@b expect -value 1 {expr 2}'
wants 'an expectation there' "$code" 3
run -q -X -c 'peer b' -c '@b require -true 0 nothing'
wants 'a require there is an error here' "$code" 1
run -q -X -c 'peer b' -c 'catch {@b require -true 0 nothing} why how' \
	-c 'expect -value {RDMASH require UNMET} {dict get $how -errorcode}' -c 'expect -true 1'
wants 'and can be caught' "$code" 0

run -q -X -c 'record kept.rdma' -c 'peer b' -c '@b set n 1' -c 'record off' -c '@b set n 2'
wants 'a recording' "$(cat kept.rdma)" '# recorded by rdmash
peer b
@b set n 1'
run -q -X -k -c 'srq -name shared; reg 64 -name m' -c 'record half.rdma' -c 'post recv m -srq shared -rep 64'
wants 'of what was done in part, that part is recorded' "$(cat half.rdma)" '# recorded by rdmash
# post recv m -srq shared -rep 64
# ibv_post_srq_recv: RECV: Cannot allocate memory (ENOMEM)
post recv m -srq shared -rep 32'

# --- launchers: what they print, and what they get wrong ---

# start WORDS ...: a peer with this -command, which says hi
start() {
	run -q -X -c 'set command $argv' -c 'peer b -within 10s -command $command' \
		-c '@b echo hi' -- "$@"
}
start nice -n 1
wants 'a launcher' "$code $out" '0 b| hi'
start sh -c 'echo Welcome; printf "no newline"; echo to stderr >&2; exec "$@"' sh
wants 'banners' "$code $out" '0 b| hi'
has 'a banner' "$err" 'b| Welcome'
has 'a banner without a newline' "$err" 'b| no newline'
has 'a banner on standard error' "$err" 'b| to stderr'
start sh -c 'while :; do printf "\001\033[2J\t\303\050\036{]\r\n\377\n"; done | head -n 40000; exec "$@"' sh
wants 'garbage' "$code $out" '0 b| hi'
wants 'garbage does not act on the terminal' "$(printf %s "$err" | tr -d '\n\t -~\200-\377')" ''
start sh -c 'exec "$@" | sed -u "s/^/ /"' sh
wants 'a launcher that indents' "$code $out" '0 b| hi'
start sh -c 'echo hello; echo bad >&2; exit 3'
wants 'it ends' "$code" 1
has 'it ends: status' "$err" 'b did not start: exit status 3'
has 'it ends: last words' "$err" 'said last   hello'
has 'it ends: errors' "$err" '              bad'
start cat
has 'a wrong program' "$err" "unrecognized option '--peer'"
start no-such-program
has 'no program' "$err" 'posix_spawn: no-such-program: No such file or directory (ENOENT)'
start sh -c 'printf "\036{\"hello\":{\"protocol\":9,\"version\":\"9.9\"}}\n"; cat >/dev/null'
has 'another version' "$err" 'its rdmash 9.9 uses version 9 of the protocol, this one version 1'
run -q -X -c 'peer b -within 5s -command {sh -c {echo Welcome; exec sleep 1000}}'
has 'no answer' "$err" 'no rdmash answered within 5000 ms'
has 'no answer: last words' "$err" 'said last   Welcome'
# one that says hello, and then anything but what it should
cat >liar <<'END'
printf '\036{"hello":{"protocol":1}}\n\036{"done":7}\n\036{"done":{"id":"x"}}\n\036[[[[\n'
printf '\036{"out":{"text":"\\u001b[2Jx\\u0000y\\nz"}}\n\036{"err":[]}\n\036{"notice":{"kind":5}}\n'
printf '\036{"done":{"id":99,"value":"x"}}\n\036{"hello":{"protocol":5}}\n\036{"notice":{}}\n'
read -r line
printf '\036{"done":{"id":1,"error":{"rows":[7,["a"],[null,null]],"errorcode":"{","text":"a\\u001b[2Jb"},"passed":-3}}\n'
read -r line
printf '\036{"done":{"id":2,"value":{"bytes":"0g4"},"passed":1e99,"failed":18446744073709551615}}\n'
read -r line
printf '\036{"done":{"id":3,"value":{"list":[{"list":[null,[]]},{"bytes":[]},5]}}}\n'
cat >/dev/null
END
run -q -X -c 'peer b -command {sh liar}' -c 'try {@b one} trap {RDMASH peer ERROR} text {echo $text}' \
	-c 'expect -true {[binary encode hex [@b two]] eq "00"}' -c 'echo [@b three]' \
	-c 'expect -error ETIMEDOUT {@b -within 50 four}' -c 'echo [dict get [@b] state]'
has 'a liar: its error is as it was, as data' "$out" $'a\e[2Jb'
wants 'a liar: what it prints' "$(grep '^b|' <<<"$out")" 'b| \x1b[2Jx\x00y
b| z'
run -q -X -c 'peer b -command {sh -c {printf "\036{\"hello\":{\"protocol\":1}}\n"; exec >&-; exec sleep 1000}}' \
	-c '@b echo hi'
has 'a closed channel' "$err" 'b has ended: it closed its end of the channel'

# what is too long for a message, of a peer that means well, and of one that does not
run -q -X -c 'peer b' -c '@b {echo [string repeat x 66000000]; echo end}' \
	-c 'catch {@b {error [string repeat x 300000]}} text; echo [string length $text]' \
	-c 'echo [@b expr 6 * 7]'
has 'much text' "$(cut -c 1-80 <<<"$out")" 'b| end'
wants 'much text comes whole' "$(grep '^b| x' <<<"$out" | tr -cd x | wc -c)" 66000000
wants 'a long error is shortened' "$(tail -n 2 <<<"$out")" '262144
42'
run -q -X -c 'peer b -command {sh -c {printf "\036{\"hello\":{\"protocol\":1}}\n\036\173"; exec cat /dev/zero}}' \
	-c '@b echo hi'
has 'a message without an end' "$err" 'it sent a message of more than 64 MiB'
wants 'is not shown' "$((${#out} + ${#err} < 1000))" 1
run -q -X -c 'peer b; @b -background {while 1 {}}' \
	-c 'set x [string repeat a 8000000]; while 1 {@b -background echo $x}'
has 'a peer that does nothing of what it is told' "$err" \
	'b has not finished 61 MiB of commands: the limit is 64'
# its child writes on
run -q -X -c 'peer b -command {sh -c {printf "\036{\"hello\":{\"protocol\":1}}\n"; setsid yes & echo $!; sleep 0.2}}' \
	-c 'catch {@b echo hi} text; echo $text'
has 'what an ended peer has started' "$out" 'b has ended: exit status 0'

# --- ends ---

run -q -X --unsafe -c 'peer b' -c '@b -background sleep 60s' \
	-c 'exec kill -9 [dict get [@b] pid]' -c 'expect -error ENDED {@b -result}' -c '@b poll'
has 'killed' "$err" 'b has ended: killed by signal 9 (Killed)'
run -q -X --unsafe -c 'reg 64 -name m; qp create -name q; modify-qp INIT q -fill; modify-qp ERR q; peer b' \
	-c 'exec kill -9 [dict get [@b] pid]' -c 'catch {@b show}' \
	-c 'puts "of [dict get [explain] call]"'
has 'explain is about the peer, not about a QP in ERR' "$out" 'of peer'
run -q -X --unsafe -c 'peer b' -c 'peer c' -c '@b -background {wait wc; expr 1}' \
	-c 'exec kill -9 [dict get [@c] pid]' -c 'catch {barrier}' -c 'expect -error ENDED {@c poll}' \
	-c 'echo [dict get [peer] c state]' -c 'peer c; @c echo again'
has 'killed while idle' "$out" 'ended'
has 'and started again' "$out" 'c| again'

# end SIGNAL SCRIPT: while the peer is busy with the script, this end gets the signal
end() {
	rm -f fifo
	mkfifo fifo
	env --default-signal=INT "$rdmash" -q -X -c 'peer b' -c 'echo [dict get [@b] pid]' \
		-c "@b {echo busy; $2}" >fifo 2>err.txt &
	pid=$!
	exec 4<fifo
	read -r peer <&4
	read -r line <&4
	wants "$1, $2: busy" "$line" 'b| busy'
	kill "-$1" "$pid"
	wait "$pid" 2>/dev/null
	code=$?
	exec 4<&-
	gone "$peer" || { echo "$1, $2: the peer $peer stays" >&2; kill -9 "$peer"; failures=$((failures + 1)); }
}
for script in 'sleep 60s' 'while 1 {}' 'while 1 {catch {sleep 60s}}'; do
	end INT "$script"
	wants "INT, $script: exit code" "$code" 4
	has "INT, $script" "$(cat err.txt)" interrupted
	end TERM "$script"
	wants "TERM, $script: exit code" "$code" 4
	end KILL "$script"
done
# one that neither answers nor ends by itself
run -q -X --unsafe -c 'peer b' -c 'set pid [dict get [@b] pid]; echo $pid; exec kill -STOP $pid' \
	-c 'expect -error ETIMEDOUT {@b -within 10 echo hi}'
gone "$(head -n 1 <<<"$out")" || { echo "a stopped peer stays" >&2; failures=$((failures + 1)); }

# --- what scripts may not ---

printf 'peer b -command {sh -c {touch made}}\n' >evil.rdma
run -q -X -f evil.rdma
has 'a program' "$err" "-command starts a program, which a script may not do"
has 'and the remedy' "$err" "rdmash -c 'peer b -command ...' -f FILE"
[ ! -e made ] || { echo "a script has started a program" >&2; failures=$((failures + 1)); }
run -q -X --unsafe -f evil.rdma
[ -e made ] || { echo "--unsafe does not let it" >&2; failures=$((failures + 1)); }

# --- ssh: one that does as the real one, at this host ---

mkdir bin
cat >bin/ssh <<'END'
#!/bin/sh
echo "$*" >>"$LOG"
echo "Authorized uses only." >&2
while [ "$1" != -- ]; do shift; done
[ "$2" = user@there ] || { echo "ssh: no route to $2" >&2; exit 255; }
shift 2
unset LD_PRELOAD
exec sh -c "$*"
END
chmod +x bin/ssh
export LOG="$dir/log"
PATH=$dir/bin:$PATH run -q -X -c "peer b -host user@there -rdmash {$rdmash} -device uroce0" -c '@b echo hi'
wants 'ssh' "$code $out" '0 b| hi'
has 'ssh: what it prints' "$err" 'b| Authorized uses only.'
has 'ssh asks nothing' "$(cat log)" 'BatchMode=yes'
PATH=$dir/bin:$PATH run -q -X -c 'peer b -host elsewhere'
has 'ssh fails' "$err" 'b did not start: exit status 255'
has 'ssh fails: why' "$err" 'ssh: no route to elsewhere'
PATH=$dir/bin:$PATH run -q -X -c 'peer b -host user@there -rdmash "/no/such place/rdmash"'
has 'no rdmash there' "$err" 'exit status 127'
run -q -X -c 'peer b -host -oProxyCommand=x'
has 'no option for ssh' "$err" "'-oProxyCommand=x' is not [USER@]HOST"

# --- two networks, one file ---

unshare --net sleep 1000 &
other=$!
until [ "$(readlink /proc/$other/ns/net)" != "$(readlink /proc/self/ns/net)" ]; do sleep 0.01; done
in_other=(nsenter -t "$other" -n)
ip link add here type veth peer name there netns "/proc/$other/ns/net" &&
	ip addr add 10.9.0.1/24 dev here && ip link set here up &&
	"${in_other[@]}" ip addr add 10.9.0.2/24 dev there &&
	"${in_other[@]}" ip link set there up && "${in_other[@]}" ip link set lo up
run -X -c "peer b -command {${in_other[*]}}" -c 'echo [dict get [@b device] address]' \
	-f "$here/../../examples/both-ends.rdma"
wants 'two networks' "$code $(grep -m 1 '^10\.' <<<"$out")" '0 10.9.0.2'
has 'two networks: checks' "$out" '5 checks passed, 0 failed'
has 'two networks: notice' "$err" '* cm    b: id0: CONNECT_REQUEST from 10.'
cat >no-receive.rdma <<'END'
set port [dict get [@b listen 0 -accept -rnr-retry 1] port]
connect [dict get [@b device] address] $port -name c -rnr-retry 1
post send [dict get [reg 64 -pd [get [get c qp] pd]] name] -qp [get c qp]
poll -qp [get c qp] -within 30s
print {explain}
END
run -q -X -c "peer b -command {${in_other[*]}}" -f no-receive.rdma
has 'two networks: the peer is asked' "$out" "b: qp0, the peer's QP, has no RECV posted"
kill "$other"
finish
