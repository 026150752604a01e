#!/bin/bash
# SPDX-License-Identifier: MIT
# readme.sh RDMASH README: the first session of the README, typed at a terminal of 80 columns, shows
# what its picture shows; addresses, keys, ports, numbers of QPs and times are others each time, and
# notices, and what the QP does after the error, come when they come. Its script has no mistake, its
# links lead somewhere, and it is short. With --write the picture becomes what the screen shows.
# shellcheck source-path=SCRIPTDIR source=../../shell/tests/tty/tmux.sh
. "$(dirname "$0")/../../shell/tests/tty/tmux.sh"
rdmash=$1 readme=$2 write=${3-}
here=$(dirname "$0")
top=$(dirname "$readme")
picture=$top/docs/session.svg
picture() {
	python3 "$here/../picture.py" "$@"
}

# block HEADING: the first one below it
block() {
	awk -v heading="## $1" '$0 == heading { there = 1 } there && /^```/ { if (on) exit; on = 1; next } on' "$readme"
}
masked() {
	grep -Ev '^\* |^   qp0 went' |
		sed -E 's/0x[0-9a-f]+/0x-/g; s/polled [0-9.]+ [µm]?s/polled -/; s/qp0:[A-Z]+>/qp0>/; s/ *$//
			s/(rdmash|libibverbs|Tcl) [0-9][0-9.]*/\1 -/g'
}

[ "$(wc -l <"$readme")" -le 150 ] || fail 'the README has more than 150 lines'
block 'Tests that need no hardware' >"$dir/checks.rdma"
[ -s "$dir/checks.rdma" ] || fail 'no script with a verdict'
"$rdmash" -n "$dir/checks.rdma" || fail 'the script of the README has mistakes'

columns=80
rows=70
start "$rdmash" -X
await_prompt
block 'Sixty seconds' >"$dir/lines"
[ -s "$dir/lines" ] && [ "$(grep -c . "$dir/lines")" -le 9 ] || fail 'that is more than a first look'
while read -r text; do
	run "$text"
done <"$dir/lines"
# without what is below the last prompt, and that
colors | sed -e :a -e '/^\n*$/{$d;N;ba' -e '}' | sed '$d' >"$dir/colors"
picture <"$dir/colors" >"$dir/svg"
[ "$write" != --write ] || cp "$dir/svg" "$picture"
picture --text "$dir/svg" | diff <(picture --text "$picture" | masked) <(masked) ||
	fail 'the picture shows something else'
echo "ok: $(grep -c . "$dir/lines") lines, as the picture shows them"
line quit
await_end
stop
for page in $(grep -oE '\]\([^)]*\)' "$readme" | tr -d '()]'); do
	[ -e "$top/$page" ] || fail "$page is not there"
done
