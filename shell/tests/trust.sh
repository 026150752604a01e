#!/bin/sh
# SPDX-License-Identifier: MIT
# Code that a script leaves behind has the script's rights, whoever makes it run: every place where Tcl
# keeps code is tried. An attack that works leaves a file in outside/.
. "$(dirname "$0")/run.inc"

mkdir outside in other
# what the code of a script tries: to write, to run a program, to read; it tells that it ran
attack='echo tried; catch {text save $::out/written x}; catch {peer z -command [list sh -c "id >$::out/ran"] -within 1s};
catch {set ::secret [text load $::out/secret]}; catch {source $::out/code.rdma}'
echo hush >outside/secret
echo "text save $dir/outside/sourced x" >outside/code.rdma

# held NAME TRIGGER CODE: a file with CODE, in which [attack] attacks; then the user's TRIGGER, with -c, at
# top level after source, and from a file of another directory. It must run each time, and do nothing.
held() {
	name=$1
	trigger=$2
	cat >in/evil.rdma <<EOF
set out $dir/outside
proc attack args {$attack
	return 1}
$3
EOF
	printf '%s\n' "$trigger" >other/trigger.rdma
	for how in '-f in/evil.rdma -c TRIGGER' '-c SOURCE -c TRIGGER' '-f in/evil.rdma -f other/trigger.rdma -c TRIGGER'; do
		set --
		for word in $how; do
			case $word in
			TRIGGER) set -- "$@" "$trigger" ;;
			SOURCE) set -- "$@" "source in/evil.rdma" ;;
			*) set -- "$@" "$word" ;;
			esac
		done
		run -k "$@"
		wants "$name ($how): nothing done" "$(ls outside)" 'code.rdma
secret'
		rm -f outside/written outside/ran outside/sourced
		run -k "$@" -c 'echo secret:[info exists secret]'
		has "$name ($how): nothing read" "$out" 'secret:0'
		[ "${untried:-}" ] || has "$name ($how): it ran" "$out" tried
	done
}

trap_='tcl_trace add execution'
# run when the file is, too: at least it must have run once
held 'at top level' 'echo' 'attack'
held 'a proc' 'foo' 'proc foo {} {attack}'
held 'a proc in a namespace' 'lib::foo' 'namespace eval lib {proc foo {} {attack}}'
held 'a renamed proc' 'bar' 'proc foo {} {attack}; rename foo bar'
held 'an ensemble' 'ens run' 'namespace eval ens {proc run {} {attack}; namespace export run; namespace ensemble create}'
held 'an ensemble with -map' 'mapped run' 'proc foo {} {attack}; namespace ensemble create -command mapped -map {run ::foo}'
held 'an ensemble with -unknown' 'open_ens what' 'proc foo args {attack}
namespace eval o {}
namespace eval o {namespace ensemble create -command ::open_ens -map {a ::foo} -unknown ::foo}'
held 'a class' 'Evil create e; e run' 'oo::class create Evil {method run {} {attack}}'
held 'an object made by new' '[Evil new] run' 'oo::class create Evil {method run {} {attack}}'
held 'an object' 'e run' 'oo::object create e; oo::objdefine e method run {} {attack}'
held 'a forward' 'e run' 'oo::object create e; oo::objdefine e forward run ::attack'
held 'a filter' 'e run' 'oo::class create C {method run {} {}; method f args {attack; next {*}$args}; filter f}; C create e'
held 'a destructor' 'e destroy' 'oo::class create C {destructor {attack}}; C create e'
held 'unknown of an object' 'e nosuch' 'oo::class create C {method unknown args {attack}}; C create e'
held 'a coroutine' 'co' 'proc body {} {yield; while 1 {attack; yield}}; coroutine co body'
held 'an execution trace of its own' 'foo' "proc foo {} {}; $trap_ foo enter {apply {args {attack}}}"
held 'a step trace' 'foo' "proc foo {} {set x 1}; $trap_ foo enterstep {apply {args {attack}}}"
held 'a variable trace' 'foo' 'set v 1; tcl_trace add variable v read {apply {args {attack}}}; proc foo {} {set ::v}'
held 'a mathfunc' 'expr {evil(1)}' 'proc ::tcl::mathfunc::evil x {attack}'
held 'an import' 'foo' 'namespace eval lib {proc foo {} {attack}; namespace export foo}; namespace import lib::foo'
held 'a lambda in a variable' 'foo' 'set l {{} {attack}}; proc foo {} {apply $::l}'
held 'what it evaluates of the caller' 'foo {attack}' 'proc foo body {uplevel #0 $body}'
held 'code with expect' 'foo' 'proc foo {} {expect -value 1 {attack}}'
held 'code with repeat' 'foo' 'proc foo {} {repeat 1 {attack}}'
held 'source in a proc' 'foo' 'text save more.rdma attack -force
proc foo {} {source more.rdma}'
held 'a sourced file' 'foo' 'text save more.rdma {proc foo {} {attack}} -force
source more.rdma'
held 'a handler' 'sleep 20' 'on timer 1 {attack} -once'
held 'a handler that a proc makes' 'foo; sleep 20' 'proc foo {} {on timer 1 {attack} -once}'
held 'a handler on a socket' 'tcp connect 127.0.0.1 [get door port]; sleep 20' 'tcp listen 0 -address 127.0.0.1 -name door
on readable door {attack} -once'

# these must not even run: the user's own commands are not the script's to change
untried=1
held 'a command of ours' 'show' 'proc show args {attack}'
held "a command of Tcl's" 'llength {}' 'proc llength args {attack}; proc ::tcl::mathfunc::abs x {attack}'
held 'unknown' 'nosuch' 'proc unknown args {attack}'
held 'namespace unknown' 'nosuch' 'namespace unknown {apply {args {attack}}}'
held 'an execution trace of a command' 'show' "$trap_ ::show enter {apply {args {attack}}}; $trap_ ::echo leave {apply {args {attack}}}"
held 'a command trace' 'rename show it' 'tcl_trace add command ::show {rename delete} {apply {args {attack}}}'
held 'a renamed command' 'show' 'rename ::show it; proc ::show args {attack}'
held 'interp alias' 'show' 'catch {interp alias {} show {} attack}; catch {namespace eval :: {namespace import -force lib::*}}'
held 'define of Tcl' 'oo::class create Mine {method m {} {}}' 'catch {oo::define oo::class method attacked {} {attack}}; catch {oo::objdefine oo::class filter attacked}'
held 'a trace on errors' 'nosuch' 'tcl_trace add variable ::errorInfo write {apply {args {attack}}}'
held 'info' 'echo [info vars]; nosuch' 'proc info args {attack}; proc ::tcl::info::vars args {attack}; proc ::tcl::info::frame args {attack}'
unset untried

# ------------------------------------------------------------------ what goes between
cat >in/lib.rdma <<'EOF'
set v 1
array set a {x 1 y 2}
namespace eval ns {variable n 5}
proc foo {x} {
	incr ::v $x
	list $x $::v
}
proc where {} {

	nosuch
}
proc tcl {} {
	expr {1 +}
}
proc rename_me {} {return renamed}
EOF
run -f in/lib.rdma -c 'echo $v $a(x) $ns::n; echo [foo 2] $v; set v 10; echo [foo 1]; unset a(x); foo 0; echo [array names a]'
wants 'values' "$code $out" '0 1 1 5
2 3 3
1 11
y'
printf 'echo $n [catch {mine}]; set n 8; unset -nocomplain v\n' >other/seven.rdma
run -c 'set n 7; set v 0; proc mine {} {return mine}' -f other/seven.rdma -c 'echo $n [info exists v]'
wants 'values of the user, not procs' "$code $out" '0 7 1
8 0'
run -f in/lib.rdma -c where
wants 'positions across' "$err" "in/lib.rdma:10 in where < -c:1: unknown command 'nosuch'
  next        help"
run -f in/lib.rdma -c 'proc p {} {
  tcl
}
p'
wants "positions of Tcl's errors across" "$(head -n1 err.txt)" 'in/lib.rdma:13 in tcl < -c:2 in p < -c:4: missing operand at _@_'
run -f in/lib.rdma -c 'catch {where} e o; echo [dict get $o -errorcode]'
wants 'error codes' "$out" 'RDMASH command UNKNOWN'
run -c 'proc foo x {return mine}' -f in/lib.rdma -c 'echo [foo 1]'
wants "the user's own proc stays" "$out" mine
echo 'foo 0; echo here $v' >in/second.rdma
run -f in/lib.rdma -f in/second.rdma
wants 'one directory, one domain' "$code $out" '0 here 1'
echo 'proc foo x {list other $x}' >other/lib.rdma
run -f in/lib.rdma -f other/lib.rdma -c 'echo [foo 1]' -f in/lib.rdma -c 'echo [foo 2]'
wants 'the file that was run last' "$out" 'other 1
2 3'
echo 'proc f {} {return -code break}' >in/break.rdma
run -f in/break.rdma -c 'while 1 {f}; echo on'
wants 'break across' "$code $out" '0 on'

# ------------------------------------------------------------ at the other end of a peer
cat >in/peer.rdma <<EOF
peer b
@b {proc foo {} {text save $dir/outside/peer x}}
@b {proc show args {text save $dir/outside/peer x}; rename ::echo said; proc echo args {foo; said {*}\$args}}
@b {tcl_trace add execution ::show enter {apply {args {text save $dir/outside/peer x}}}; set v 5}
proc there {} {@b foo}
EOF
run -k -f in/peer.rdma -c there -c '@b foo' -c '@b show' -c '@b {echo $v; proc mine {} {return mine}}' \
	-c '@b {text save '"$dir"'/mine.txt x}' -c '@b {catch mine}'
wants 'what a script leaves at a peer' "$(ls outside) $(ls mine.txt)" 'code.rdma
secret mine.txt'
has 'a peer: it ran, confined' "$err" "outside/peer is outside the script's directory $dir/in"
has 'a peer: variables' "$out" 'b| 5'

# ------------------------------------------------------------------------- the start file
if command -v script >/dev/null; then
	mkdir -p .config/rdmash
	echo "proc start {} {text save $dir/started.txt x}" >.config/rdmash/rc.rdma
	for mode in 644 666 664; do
		chmod $mode .config/rdmash/rc.rdma
		printf 'start\nquit\n' | script -qec "'$rdmash'" /dev/null >out.txt 2>&1
		wants "a start file of mode $mode" "$(ls started.txt 2>/dev/null)" \
			"$([ $mode = 644 ] && echo started.txt)"
		[ $mode = 644 ] || has "a start file of mode $mode" "$(cat out.txt)" 'Others could have written it'
		rm -f started.txt
	done
	chmod 644 .config/rdmash/rc.rdma
	chmod 777 .config/rdmash
	printf 'start\nquit\n' | script -qec "'$rdmash'" /dev/null >out.txt 2>&1
	wants 'a start file in a folder of others' "$(ls started.txt 2>/dev/null)" ''
	has 'a start file in a folder of others' "$(cat out.txt)" 'Others could have written it'
	chmod 755 .config/rdmash
fi

# ---------------------------------------------------------------------- files and names
printf 'text save here.txt x\ntext save sub/there.txt y\nproc put n {text save $n z}\n' >in/files.rdma
mkdir in/sub
echo 'text save beside.txt x; proc up {} {text save ../up.txt x}; up' >in/sub/s.rdma
echo 'source sub/s.rdma' >in/src.rdma
run -f in/files.rdma -c 'put called.txt'
wants 'beside the script' "$code $(cd in && ls *.txt sub/*.txt)" '0 called.txt
here.txt
sub/there.txt'
run in/src.rdma
wants 'a sourced file has the rights of who sources it' "$code $(cd in && ls up.txt sub/beside.txt)" '0 sub/beside.txt
up.txt'
echo precious >outside/linked
ln outside/linked in/linked
for c in 'text save linked x' 'text save linked x -append' 'record linked' 'text save linked x -force'; do
	echo "$c" >in/link.rdma
	run in/link.rdma
	wants "hard link, $c" "$(cat outside/linked)" precious
	case $c in *append) has "hard link, $c" "$code $err" '1 in/link.rdma:1: linked has 2 names' ;; esac
	ln -f outside/linked in/linked
done
echo 'echo [text load linked]' >in/link.rdma
run in/link.rdma
wants 'a hard link may be read' "$code $out" '0 precious'
rm outside/linked

# the owner of the folder above puts a link in the place of the script's directory
mkdir -p owned/scripts
echo 'proc steal {} {echo [catch {text load secret} m] $m; text save written x}' >owned/scripts/s.rdma
run -k -f owned/scripts/s.rdma -c 'peer z -command {sh -c "mv owned/scripts owned/away && ln -s ../outside owned/scripts"}' -c steal
wants 'a link in the place of the directory' "$(ls outside)" 'code.rdma
secret'
has 'a link in the place of the directory' "$out" '1 '
rm -r owned

# links that were there before: to the folder of libraries, to a script's directory on the other host
mkdir shelf
printf '# Read\n# One that reads.\nsource other.inc\nproc ::rdmash::mine {what} {other}\n' >shelf/mine.rdma
echo 'proc other {} {return read}' >shelf/other.inc
ln -s shelf linked
RDMASH_LIB=$dir/linked run -c 'echo [mine it]'
wants 'a library in a linked folder' "$code $out" '0 read'
printf '\036{"run":{"id":1,"script":"text load other.inc","values":[],"line":1,"dir":"%s"}}\n' "$dir/linked" |
	"$rdmash" --peer >out.txt 2>err.txt
has 'a linked directory at a peer' "$(cat out.txt)" '"value":"proc other'
rm -r shelf linked

# -------------------------------------------------------- a script that is in no directory
if command -v python3 >/dev/null; then
	for kind in memfd deleted; do
		cat >start.py <<EOF
import os, sys
text = b'echo ran; text save $dir/outside/pwn x\n'
if '$kind' == 'memfd':
	f = os.memfd_create('x', 0)
else:
	f = os.open('gone', os.O_RDWR | os.O_CREAT)
	os.unlink('gone')
os.write(f, text)
os.lseek(f, 0, 0)
os.set_inheritable(f, True)
os.chdir('in')
os.execv(sys.argv[1], [sys.argv[1], '/proc/self/fd/%d' % f])
EOF
		python3 start.py "$rdmash" >out.txt 2>err.txt
		wants "$kind" "$? $(cat out.txt) $(ls outside)" '1 ran code.rdma
secret'
		has "$kind" "$(cat err.txt)" "outside the script's directory $dir/in"
	done
fi
echo "echo ran; text save $dir/outside/pwn x" |
	(cd in && "$rdmash" /dev/stdin >../out.txt 2>../err.txt; echo $? >../code.txt)
wants 'a pipe: the current directory is its own' "$(cat code.txt out.txt) $(ls outside)" '1
ran code.rdma
secret'

finish
