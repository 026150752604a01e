#!/bin/bash
# SPDX-License-Identifier: MIT
#
# rxe-lab run: status, streams, directories and limits of the command.

# shellcheck source-path=SCRIPTDIR source=lib.sh disable=SC2016,SC2317
. "$(dirname "$0")/lib.sh"
can_run run

"$lab" run 'exit 0'
equal 'exit status 0' $? 0
"$lab" run bash -c 'exit 7'
equal 'exit status 7, of a command with arguments' $? 7
# shellcheck disable=SC2016	# for the shell in the machine
"$lab" run 'kill -TERM $$'
equal 'exit status of a command killed by a signal' $? 143

head -c 300000 /dev/urandom > "$tmp/random"
"$lab" run 'cat; echo to stderr >&2' < "$tmp/random" > "$tmp/copy" 2> "$tmp/err"
equal 'status of cat' $? 0
ok 'binary data from standard input to standard output' cmp "$tmp/random" "$tmp/copy"
equal 'standard error is apart' "$(< "$tmp/err")" 'to stderr'

dir="$tmp/a dir, with a comma"
mkdir "$dir"
echo content > "$dir/file"
(cd "$dir" && VALUE=$'two\nlines' "$lab" run -w . \
	'pwd; cat file; echo "$VALUE"; echo more > made; echo gone > /etc/rxe-lab-test' > "$tmp/out")
equal 'directory, files, environment' "$(< "$tmp/out")" "$dir"$'\ncontent\ntwo\nlines'
equal 'a file made in a directory of -w' "$(cat "$dir/made")" more
ok 'nothing else is written on this host' [ ! -e /etc/rxe-lab-test ]

for parent in /run /dev/shm; do
	[ -w $parent ] || continue
	dir=$(mktemp -d $parent/lab-test.XXXXXX)
	echo here > "$dir/file"
	equal "a current directory in $parent" "$(cd "$dir" && "$lab" run 'cat file' 2>&1)" here
	rm -r "$dir"
done

"$lab" run -t 60 yes 2> /dev/null | head -n 1 > "$tmp/out"
equal 'the machine ends when nobody reads its output' "${PIPESTATUS[0]}" 141

"$lab" run -t 5 'echo started; sleep 1000' > "$tmp/out" 2> "$tmp/err"
equal 'time limit' $? 124
has 'time limit is reported' "$tmp/err" 'no end after 5 s'

"$lab" run -s 'echo why; false' true 2> "$tmp/err"
equal 'a setup that fails' $? 125
has 'the setup that fails is shown' "$tmp/err" '^rxe-lab: .*why'
"$lab" run -z true 2> "$tmp/err"
equal 'wrong usage' $? 125

nothing_left 'after all of them'
finish
