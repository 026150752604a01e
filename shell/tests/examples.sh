#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs the examples of the commands' help: examples.sh RDMASH [[not] FAMILY ...]
# Those of a command run in order in one session, after its setup; each must show what the
# table says it shows, and may fail only if that is what it shows, or if the device cannot
# do it (EOPNOTSUPP), which is told.
[ $# -gt 0 ] || { echo "usage: $0 rdmash [[not] family ...]" >&2; exit 2; }
. "$(dirname "$0")/run.inc"
shift

# A script for each command: a line '@@ what it shows' before each example.
cat >plan.rdma <<'EOF'
set but [expr {[lindex $argv 0] eq "not"}]
foreach c [help -json] {
	if {$argc && $but == ([dict get $c family] in $argv)} continue
	echo "@@@ [dict get $c name]"
	echo [dict get $c setup]
	foreach e [dict get $c examples] {
		echo [list echo "@@ [dict get $e shows]"]
		set line [dict get $e line]
		# a script does not print what Tcl's own commands bring, the prompt does
		if {[lindex [split $line] 0] in {dict lindex llength lrange format expr}} {
			set line "echo \[$line\]"
		}
		echo $line
	}
}
EOF
"$rdmash" plan.rdma "$@" >plan.txt || { echo "no plan" >&2; exit 1; }
# the examples speak of rxe0: here the device may have another name
device=$("$rdmash" -q -X -c 'echo [dict get [lindex [concat [devices] {{name rxe0}}] 0] name]')
sed "s/rxe0/$device/g" plan.txt >plan.named && mv plan.named plan.txt
awk '/^@@@ /{close(f); f = sprintf("eg%03d.rdma", ++n); print "# " substr($0, 5) > f; next} {print > f}' plan.txt

commands=0
for f in eg*.rdma; do
	[ -e "$f" ] || { echo "no examples" >&2; exit 1; }
	read -r _ name <"$f"
	echo "@@@ $f $name" >>all.out
	"$rdmash" -X -k "$f" >>all.out 2>&1 </dev/null
	code=$?
	if [ $code = 77 ]; then
		echo "$name: skipped, a require is not met"
		echo '@@@' >>all.out
		continue
	fi
	[ $code -lt 4 ] || { echo "$f: exit code $code" >&2; failures=$((failures + 1)); }
	commands=$((commands + 1))
done
# all at once: to start a program takes long where the processor is emulated
awk '
	function end() {
		if (failed && text ~ /\(EOPNOTSUPP\)/)
			printf "%s, example %d: this device cannot do it\n", name, n
		else if (n && shows != "" && !index(text, shows)) {
			printf "%s, example %d: does not show \"%s\" but:\n%s", name, n, shows, text
			bad = 1
		} else if (failed && shows == "") {
			printf "%s, example %d: failed:\n%s", name, n, text
			bad = 1
		}
		begin()
	}
	function begin() {
		text = shows = ""
		failed = 0
	}
	/^@@@$/ { begin(); n = 0; next } # skipped
	/^@@@ / { end(); n = 0; file = $2; name = substr($0, length(file) + 6); next }
	/^@@/ { end(); n++; shows = substr($0, 4); next }
	index($0, file ":") == 1 { failed = 1 }
	{ text = text $0 "\n" }
	END { end(); exit bad }' all.out || failures=$((failures + 1))
echo "$commands commands"
finish
