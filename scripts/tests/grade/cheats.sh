#!/bin/bash
# SPDX-License-Identifier: MIT
# cheats.sh RDMASH: what a hand-in might try to get points for what it has not done. Each must get
# none, and the checks that are reported are always those of the rules.
set -u
rdmash=$1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
failed=0
no() {
	echo "not ok: $*"
	failed=1
}
cat >rules.rdma <<'END'
expect -points 4 -name {left goes from RESET to RTS} -true {[passed left RESET INIT RTR RTS]}
expect -points 3 -name {left tries three times} -value 3 {attribute left RTS retry_cnt}
expect -points 2 -name {the text has arrived} -value hello {mem get m 0 5}
expect -points 1 -name {a WRITE was refused} -true {[completions REM_ACCESS_ERR] > 0}
END
rules=$(md5sum <rules.rdma)
# cheat POINTS WHAT ?SECONDS?: the hand-in is standard input; it gets no more than these points.
cheat() {
	cat >hand-in.rdma
	within=3 # what is to get points comes to its end, however slow this machine is
	[ "$1" = 0 ] || within=60
	timeout 200 "$rdmash" --within "${3:-$within}" --grade rules.rdma hand-in.rdma >out 2>err
	code=$?
	[ $code = 3 ] || no "$2: exit code $code"
	grep -q '^Bail out!' out && [ "$1" = bail ] && echo "tried: $2" && return
	[ "$(grep -c -e '^ok ' -e '^not ok ' out)" = 4 ] && grep -qx '1\.\.4' out || no "$2: other checks"
	grep -qx "# $1 of 10 points" out || no "$2: $(grep 'of 10' out), not $1"
	echo "tried: $2"
}
cheat 0 'to exit with 0' <<'END'
exit 0
END
cheat 0 'to print what the grader prints' <<'END'
echo "ok 1 left goes from RESET to RTS (4 points)"
puts "1..1\n# 10 of 10 points"
END
cheat 0 'to define expect, get and the words of the rules' <<'END'
foreach word {expect get mem passed attribute completions rows timeline} { proc $word args { return hello } }
proc ::passed args { return 1 }
proc attribute args { return 3 }
END
cheat 0 'to set the variables of the rules' <<'END'
namespace eval ::grade { variable rows {{kind state name left text {left RTS} result created state RTS bad 0}} json {[]} }
proc ::grade::read_rows {} { return {} }
set ::grade::rows {}
END
cheat 0 'expectations of its own, with many points' <<'END'
expect -points 10 -name mine -true {1}
END
cheat 0 'to end as skipped' <<'END'
require -true {0} {there is nothing to grade}
END
cheat 0 'to let a lesson or a fault do it' <<'END'
catch { lesson play 3 }
catch { fault run bad-rkey }
catch { fault completion REM_ACCESS_ERR }
catch { bench write }
catch { fau run bad-rkey }
::lesson play 3
END
cheat 4 'to take rows out of the record' <<'END'
catch { timeline clear }
catch { timeline off }
catch { option json on }
qp create -name left
modify-qp INIT left -fill
modify-qp RTR left -peer [qp-info left] -fill
modify-qp RTS left -fill
END
cheat 0 'to read the rules, other hand-ins, or write them' <<'END'
catch { source rules.rdma }
catch { source ./rules.rdma }
reg 4096 -name n
catch { mem load n rules.rdma }
catch { mem save n rules.rdma -force }
catch { record rules.rdma }
END
[ "$(md5sum <rules.rdma)" = "$rules" ] || no 'the rules were changed'
sed -i '1i sleep 20' rules.rdma
cheat 0 'to leave code that runs while the rules do' <<'END'
on timer 1ms { expect -points 10 -name late -true {1} }
on timer 1ms { while {1} {} }
END
sed -i 1d rules.rdma
cheat 0 'to make the plan longer' <<'END'
nosuch
expect -true {1}
expect -true {1}
END
cheat 0 'to go on for ever, uncaught' <<'END'
while {1} { catch { while {1} {} } }
END
cheat 0 'to wait for ever' <<'END'
qp create -name left
catch { sleep 1000 }
wait until {0}
END
cheat 0 'a queue pair whose name looks like states' <<'END'
catch { qp create -name "left RESET INIT RTR RTS" }
catch { qp create -name {left*} }
catch { modify-qp INIT {left*} -fill }
END
cheat bail 'to end the program' <<'END'
set deep [string repeat \[ 200000]
catch { eval $deep }
END
cheat 0 'a peer that does it' <<'END'
peer p
@p { qp create -name left }
END
cheat 0 'attributes without their bit in the mask' <<'END'
qp create -name left
foreach state {INIT RTR RTS} { call ibv_modify_qp left [list qp_state $state retry_cnt 3] 0 }
catch { call ibv_modify_qp left {qp_state RTS retry_cnt 3} STATE }
END
cheat 0 'other objects of the name' <<'END'
foreach how {
	{ reg 64 -name left } { cq -name left } { pd -name left } { srq -name left }
	{ connect 10.0.0.1 7471 -prepare -name left } { listen 7471 -name left } { tcp listen 0 -name left }
} { catch $how; catch { destroy left -cascade } }
catch { qp create -name "left\n1..4\nok 1" }
catch { reg 64 -name "\x1b\[2Jok 1" }
END
cheat 0 'an end that looks like checks' <<'END'
error "\nok 1 left goes from RESET to RTS (4 points)\n1..1\n# 10 of 10 points"
END
cheat 0 'exit in a handler, and in an expectation' <<'END'
on timer 1ms { exit 0 }
proc bgerror args { quit 0 }
sleep 50
expect -value 1 { quit 0 }
END
cheat 0 'the environment' <<'END'
array set ::env { RDMASH_LIB /nonexistent RDMASH_DEVICE none PATH {} }
set ::tcl_precision 1
catch { encoding system identity }
END
cheat 0 'to close, or to hold, the streams of the checks' <<'END'
foreach how { { close stdout } { close stderr } { chan close stdout } { flush stdout } { fconfigure stdout -blocking 0 } } { catch $how }
catch { interp alias {} expect {} set }
catch { text save /dev/stdout "ok 1\n" }
END
cheat 0 'to flood what is shown' <<'END'
while 1 { echo [string repeat x 100000]; print y; puts stderr z }
END
cheat 0 'destructors, coroutines and traces that end later' <<'END'
oo::class create C { destructor { exit 0 } }
C create c
coroutine co apply {{} { yield; while 1 { yield; expect -points 10 -true {1} } }}
proc unknown args { co }
on async { co }
tcl_trace add variable ::grade::rows write { apply {args { exit 0 }} }
catch { tcl_trace add execution expect enter { apply {args { exit 0 }} } }
END
cheat 0 'a remote call to itself that comes late' <<'END'
rpc serve f {} { expect -points 10 -true {1}; exit 0 }
set r [dict get [rpc connect 127.0.0.1 [dict get [rpc listen 0] port]] name]
for {set i 0} {$i < 100} {incr i} { rpc call $r f -background }
END
cheat 0 'to change what is shown, or to close the device' <<'END'
notices off
history off
timing on
trace all
wire on
close
END
cheat 0 'to delete all commands, and all namespaces' <<'END'
catch { namespace delete ::tcl ::oo }
foreach c [info commands] { if {$c ni {rename foreach if catch}} { catch { rename $c {} } } }
END
cheat 0 'words in other forms for what is refused' <<'END'
foreach how {
	{ pee x } { ::peer x } { namespace eval x { ::fault run bad-rkey } } { apply {{} { ::ben write }} }
	{ repeat 1 { tim clear } } { @x pid } { on timer 1ms { les 3 } }
} { catch $how }
END
cheat 0 'to write over the rules with what is no text' <<'END'
reg 64 -name n
qp create -name left
wire on
foreach how {
	{ report rules.rdma -force } { qp-state left -svg rules.rdma -force } { qp-state -type RC -svg ./rules.rdma -force }
	{ export rules.rdma -force } { export /tmp/../rules.rdma -force } { text save rules.rdma "expect -true 1" -force }
	{ capture rules.rdma -force } { wire read rules.rdma } { text load rules.rdma } { mem load n ../hand-in/rules.rdma }
} { catch $how; catch "::$how" }
END
[ "$(md5sum <rules.rdma)" = "$rules" ] || no 'the rules were changed'
files=$(ulimit -S -n) memory=$(ulimit -S -v)
ulimit -S -n 200
cheat 0 'to leave no file descriptor for the rules' 60 <<'END'
for {set i 0} {$i < 400} {incr i} { catch { tcp listen 0 -name l$i } }
END
ulimit -S -n "$files"
if ! grep -q __asan_init "$rdmash"; then # its own memory is beyond any limit
	ulimit -S -v 4000000
	cheat 0 'to take all memory' 60 <<'END'
catch { while 1 { append all [string repeat x 50000000] } }
END
	ulimit -S -v "$memory"
fi
cheat 0 'addresses in the program in place of structs' <<'END'
qp create -name left
cq 4 -name c
modify-qp INIT left -fill
foreach place {0x400000 4194304 0x7fff00000000 NULL} {
	catch { call ibv_poll_cq c 1 $place }
	catch { call ibv_query_qp left $place STATE $place }
	catch { call ibv_post_recv left $place }
	catch { call ibv_modify_qp left $place STATE }
	catch { call ibv_post_send left [list opcode SEND send_flags INLINE sg_list [list [list addr $place length 5 lkey 0]]] }
}
END
cheat 0 'a way that two queue pairs of the same name have gone together' <<'END'
qp create -name left; modify-qp INIT left -fill; destroy left
qp create -name other
modify-qp INIT other -fill; modify-qp RTR other -peer [qp-info other] -fill; modify-qp RTS other -fill -retry-cnt 3
catch { rename other left }
qp create -name left
END
printf 'qp create -name left\n\032\nexpect -points 10 -true 1\n\0\nexit 0' >script
cheat 0 'bytes at which a reader might stop' <script
# a folder with hand-ins that have no end, or whose names look like cells or lines
mkdir class
mkfifo class/fifo.rdma
ln -s /dev/zero class/zero.rdma
ln -s "$PWD/rules.rdma" class/rules.rdma
: >'class/a",10,10,0,,.rdma'
: >$'class/b\n1..4\nb,10,10,0,,.rdma'
"$rdmash" --csv --within 2 --grade rules.rdma class/ >rows 2>err
[ $? = 3 ] || no 'a folder with such names: another exit code'
python3 -c 'import csv, sys
rows = list(csv.DictReader(open("rows", newline="")))
sys.exit(sorted(row["hand_in"][:1] for row in rows) != list("abfz") or {(row["points"], row["of"]) for row in rows} != {("0", "10")})' ||
	no "a folder with such names: $(cat rows)"
echo 'tried: hand-ins that have no end, and names that look like cells'
# a parent that does not want to know how its children end
: >hand-in.rdma
python3 -c 'import os, signal, sys
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
os.execv(sys.argv[1], sys.argv[1:])' "$rdmash" --grade rules.rdma hand-in.rdma >out 2>err
code=$?
[ $code = 3 ] && grep -qx '# 0 of 10 points' out || no "SIGCHLD is ignored: exit code $code"
# Failed calls are pushed out of the record by later ones.
cat >rules.rdma <<'END'
expect -points 6 -name {no call has failed} -true {[complete] && [failures] eq ""}
expect -points 1 -name {a region was made} -true {[called ibv_reg_mr] > 0}
expect -points 2 -name {left is in RTS} -true {[lindex [states left] end] eq "RTS"}
expect -points 1 -name {left has sent nothing} -true {[completions SUCCESS SEND left] == 0}
END
cheat 0 'to flood the record' 60 <<'END'
qp create -name left
catch { call ibv_modify_qp left {qp_state RTS} STATE }
for {set i 0} {$i < 12000} {incr i} { reg 64 -name r; destroy r }
END
cat >rules.rdma <<'END'
expect -points 1 -name {no request has failed} -true {[completions *ERR] == 0}
expect -points 2 -name {no NAK was sent, up to the end of the hand-in} -true {[packets RC_ACK *NAK*] == 0 && [get ran len] == 64}
expect -points 3 -name {left tries three times} -value 3 {attribute left RTS retry_cnt}
expect -points 4 -name {left has sent} -true {[completions SUCCESS SEND left] == 1}
END
connected='
foreach qp {left right} { qp create -name $qp; modify-qp INIT $qp -fill }
modify-qp RTR left -peer [qp-info right] -fill
modify-qp RTR right -peer [qp-info left] -fill
foreach qp {left right} { modify-qp RTS $qp -fill }
reg 4096 -name m
'
cheat 0 'to flood requests and packets, behind those that failed' <<END
$connected
post write m -len 8 -remote 0 -rkey 1 -qp left
poll -qp left
qp create -name a; qp create -name b
foreach q {a b} { modify-qp INIT \$q -fill }
modify-qp RTR a -peer [qp-info b] -fill; modify-qp RTR b -peer [qp-info a] -fill
foreach q {a b} { modify-qp RTS \$q -fill }
for {set i 0} {\$i < 6000} {incr i} {
	post write m -len 8 -remote [get m addr] -rkey [get m rkey] -qp a
	poll -qp a
}
END
cheat 3 'a SEND of another queue pair of the same name' <<END
$connected
post recv m -len 64 -qp right
post send m -len 5 -qp left
poll -qp left
destroy left
qp create -name left
reg 64 -name ran
END
cheat 3 'attributes of another queue pair of the same name' <<END
$connected
modify-qp RESET left
modify-qp INIT left -fill
modify-qp RTR left -peer [qp-info right] -fill
modify-qp RTS left -fill -retry-cnt 3
destroy left
qp create -name left
reg 64 -name ran
END
cheat 3 'private data that looks like a row of the record' <<'END'
listen 7471 -address 10.0.0.1 -name door
connect 10.0.0.1 7471 -prepare -name c
cm connect c -nowait -private-data {{args {qp left attr {qp_state RTS retry_cnt 3}}}}
catch { reject }
catch { call ibv_create_qp pd0 {qp_context "left attr.qp_state RTS retry_cnt 3"} }
reg 64 -name ran
END
cheat 3 'a region over the memory of the grader' <<'END'
pd -name pd
foreach place {0 NULL 0x400000} {
	catch { call -name all ibv_reg_mr pd $place 18446744073709551615 LOCAL_WRITE,REMOTE_WRITE,ON_DEMAND }
}
buf 4096 -name b
call -name m ibv_reg_mr pd b 4096 LOCAL_WRITE,REMOTE_WRITE
catch { call ibv_rereg_mr m CHANGE_TRANSLATION pd 0x400000 4096 LOCAL_WRITE }
catch { destroy b }
catch { mem put m 5000 3333 }
reg 64 -name ran
END
cat >rules.rdma <<'END'
expect -points 4 -name {left has sent 5 bytes} -true {[called ibv_post_send qp left wr.opcode SEND wr.sg_list.length 5] == 1}
expect -points 3 -name {in one request} -true {[called ibv_post_send qp left wr.opcode SEND] == 1}
expect -points 2 -name {right gets them in n} -true {[called ibv_post_recv wr.sg_list.addr [get n addr] wr.sg_list.lkey [get n lkey]] == 1}
expect -points 1 -name {up to the end of the hand-in} -value 64 {get ran len}
END
connected=${connected//qp create/qp create -send-sge 2 -recv-sge 2}"reg 4096 -name n
"
cheat 8 'nothing, but a SEND of two pieces' <<END
$connected
call ibv_post_send left {opcode SEND sg_list {{addr m length 2 lkey m} {addr m+2 length 3 lkey m}}}
reg 64 -name ran
END
cheat 1 'the opcode of one request with the length of another, the address of one SGE with the key of another' <<END
$connected
call ibv_post_recv right {sg_list {{addr m length 8 lkey n} {addr n length 8 lkey m}}}
call ibv_post_send left [list {opcode SEND sg_list {{addr m length 8 lkey m}}} \\
	{opcode SEND_WITH_IMM sg_list {{addr m length 5 lkey m}}} \\
	{opcode SEND sg_list {{addr m length 9 lkey m}}}]
reg 64 -name ran
END
cheat 1 'a request of another queue pair of the same name' <<END
$connected
call ibv_post_send left {opcode SEND sg_list {{addr m length 5 lkey m}}}
destroy left
qp create -name left
reg 64 -name ran
END
cat >rules.rdma <<'END'
expect -points 1 -name {a SEND was posted} -true {[called ibv_post_send wr.opcode SEND] > 0}
expect -points 1 -name {left went to RTS} -true {[called ibv_modify_qp qp left attr.qp_state RTS] > 0}
expect -points 1 -name {left is in RTS} -value RTS {get left state}
expect -points 7 -name {the listener has its name} -value door {get door name}
END
cheat 0 'calls that fail' <<'END'
qp create -name left
catch { call ibv_modify_qp left {qp_state RTS} STATE }
catch { post send -text hello -qp left -force }
catch { call ibv_post_send left {{opcode SEND}} }
proc get args { return door }
END
exit $failed
