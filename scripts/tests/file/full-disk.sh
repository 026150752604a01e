#!/bin/bash
# SPDX-License-Identifier: MIT
# full-disk.sh RDMASH: every command that writes a file, on a disk with room and on one without.
# A file is written completely or not at all, an existing one is replaced only with -force, and
# a write that fails ends with a message and an error. To be run by 'on.sh uroce'.
# shellcheck disable=SC2016,SC2154,SC1091 # dollars are Tcl's; run.inc sets variables
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../../../shell/tests/run.inc"

# what is printed goes where there is room
run() {
	err=$("$rdmash" "$@" 2>&1 >"$dir/said" </dev/null)
	code=$?
	out=$(cat "$dir/said")
}
bad() { wants "$1" no yes; }

setup="timeline on; reg 64K -name big; mem fill big x; qp create -name q
$(for _ in 1 2 3 4; do printf 'set x %400s\n' '' | sed 's/ /x/5g'; done)"
connect='listen 7471 -address 10.0.0.1 -accept; connect 10.0.0.1 7471 -name out
	reg 64K -name from; reg 64K -name to -access local-write,remote-write'
# command without its file, the file
whole='text save|f.txt|[string repeat text 20000]
mem save big|f.bin|
report|f.html|
timeline -svg|f.svg|
export c|f.c|
record -last 5|f.rdma|'

names() { find . -type f ! -name '*.full' -printf '%P %s\n' | sort; }

# full DIR: a small disk there with no room left
full() {
	mkdir -p "$1" && mount -t tmpfs -o size=64k none "$1" || return
	head -c 1M /dev/zero >"$1/fill.full" 2>/dev/null
	:
}

while IFS='|' read -r command file rest; do
	mkdir "dir.$command" && cd "dir.$command" || exit
	it="$command $file $rest"
	run -X -c "$setup" -c "$it"
	wants "$command: with room" "$code" 0
	[ -s "$file" ] || bad "$command: there is no $file"
	wants "$command: nothing else is left" \
		"$(names | grep -v "^$file \|^CMakeLists.txt ")" ''
	echo mine >"$file"
	run -X -c "$setup" -c "$it"
	wants "$command: not over a file that is there" "$code $(cat "$file")" '1 mine'
	has "$command: and says so" "$err" 'the file exists already'
	chmod 640 "$file"
	run -X -c "$setup" -c "$it -force"
	wants "$command: -force" "$code $(stat -c %a "$file")" '0 640'
	[ "$(cat "$file")" != mine ] || bad "$command: -force replaces nothing"
	ln -s "$file" "link$file"
	run -X -c "$setup" -c "${it/$file/link$file} -force"
	wants "$command: a link is not replaced" "$code $(readlink "link$file")" "1 $file"
	rm -f "$file" "link$file" CMakeLists.txt
	(
		ulimit -f 1 # 1024 bytes
		"$rdmash" -X -c "$setup" -c "$it" 2>&1 | cat >../limited
		exit "${PIPESTATUS[0]}"
	)
	wants "$command: ulimit -f" "$? $(names)" '1 '
	has "$command: ulimit -f: says why" "$(cat ../limited)" 'ulimit -f'
	if full full; then
		cd full || exit
		echo mine >"$file" 2>/dev/null
		before=$(names)
		run -X -c "$setup" -c "$it -force"
		wants "$command: a full disk" "$code $(names)" "1 $before"
		has "$command: a full disk: says so" "$err" 'No space left on device (ENOSPC)'
		has "$command: a full disk: and what is left" "$err" 'written     nothing'
		cd .. && umount full
	fi
	cd ..
done <<<"$whole"

# --- files that grow: what was written before can be read ---

write='for {set i 0} {$i < 40} {incr i} {post write from -remote [get to addr] -rkey [get to rkey]
	poll -within 60s}'
mkdir grow && cd grow || exit
run -q -X -c "$connect" -c 'capture start f.pcapng' -c 'capture stop' -c 'capture start f.pcapng'
wants 'capture: not over a file that is there' "$code" 1
run -q -X -c "$connect" -c 'capture start f.pcapng -force' -c 'capture stop'
wants 'capture: -force' "$code" 0
for end in '-c {capture stop}' ''; do
	rm -f f.pcapng
	printf '%s\n' "$connect" 'capture start f.pcapng' "$write" >run.rdma
	[ -z "$end" ] || echo 'capture stop' >>run.rdma
	(
		ulimit -f 64
		"$rdmash" -q -X --allow-dir . -f run.rdma 2>&1 | cat >out
		exit "${PIPESTATUS[0]}"
	)
	wants "capture: ulimit -f, ${end:-left open}" $? 1
	has "capture: ulimit -f, ${end:-left open}: says so" "$(cat out)" '(EFBIG)'
	run -X -c 'set n [llength [wire read f.pcapng -n 0]]; expect -true {$n > 10}'
	wants "capture: ulimit -f, ${end:-left open}: what there is can be read" "$code" 0
done
printf 'record f.rdma\nset a [string repeat a 600]\nset b [string repeat b 600]\nset c 1\n' >typed
(
	ulimit -f 1
	"$rdmash" -q -X -c 'record f.rdma' -c "set a $(printf %600s '' | tr ' ' a)" \
		-c "set b $(printf %600s '' | tr ' ' b)" -c 'set c 1' 2>&1 | cat >out
	exit "${PIPESTATUS[0]}"
)
wants 'record: ulimit -f' $? 1
has 'record: ulimit -f: says so' "$(cat out)" 'f.rdma is not complete: File too large (EFBIG)'
wants 'record: ends with a whole command' "$(cut -c1-7 f.rdma | tr '\n' ' ')" '# recor set a a '
run -X -c 'record f.rdma'
wants 'record: not over a file that is there' "$code" 1
run -X -c 'text save f.rdma more -append'
wants 'text save -append' "$code $(tail -n 1 f.rdma)" '0 more'
before=$(md5sum <f.rdma)
(
	ulimit -f 1
	"$rdmash" -q -X -c 'text save f.rdma [string repeat x 900] -append' 2>&1 | cat >out
	exit "${PIPESTATUS[0]}"
)
wants 'text save -append: ulimit -f' "$? $(md5sum <f.rdma)" "1 $before"

# --- what is no file ---

run -q -X -c 'text save /dev/stdout hello'
wants 'a pipe is written to' "$code $out" '0 hello'
"$rdmash" -q -X -c 'text save /dev/stdout hello; echo two' >own
wants 'so is standard output that is a file' "$? $(tr '\n' ' ' <own)" '0 hello two '
[ -L /dev/stdout ] || bad '/dev/stdout is no link any more'
run -q -X -c 'text save /dev/full hello'
wants 'a device without room' "$code" 1
run -q -X -c 'text save . x'
has 'a directory' "$err" 'Is a directory'
run -q -X -c 'text save /no/such/x x'
has 'a directory that is not there' "$err" 'No such file or directory'
finish
