#!/bin/bash
# SPDX-License-Identifier: MIT
# readme.sh RDMASH README: the first session of the README, typed at a terminal of 80 columns, shows
# what the README shows; addresses, keys, ports, numbers of QPs and times are others each time, and
# notices, and what the QP does after the error, come when they come; and the versions in the banner
# are what is installed. With --write the README gets what the screen shows.
# shellcheck source-path=SCRIPTDIR source=../../shell/tests/tty/tmux.sh
. "$(dirname "$0")/../../shell/tests/tty/tmux.sh"
rdmash=$1 readme=$2 write=${3-}

# The block that begins with the prompt of a shell.
session() {
	awk '/^```/ { if (on) exit; getline; if ($0 == "$ rdmash") { on = 1; next } } on' "$readme"
}
masked() {
	grep -Ev '^\* |^   qp0 went' |
		sed -E 's/0x[0-9a-f]+/0x-/g; s/polled [0-9.]+ [µm]?s/polled -/; s/qp0:[A-Z]+>/qp0>/; s/ *$//
			s/(rdmash|libibverbs|Tcl) [0-9][0-9.]*/\1 -/g'
}

columns=80
rows=70
start "$rdmash" -X
await_prompt
session | sed -nE 's/^(rdmash|uroce0)[^>]*> //p' >"$dir/lines"
[ "$(grep -c . "$dir/lines")" -le 9 ] || fail 'that is more than a first look'
while read -r text; do
	run "$text"
done <"$dir/lines"
screen | sed -e :a -e '/^\n*$/{$d;N;ba' -e '}' | sed '$d' >"$dir/screen"
if [ "$write" = --write ]; then
	awk -v screen="$dir/screen" '/^\$ rdmash$/ && !done { print; while ((getline line < screen) > 0) print line; skip = 1; done = 1; next }
		/^```/ { skip = 0 } !skip' "$readme" >"$dir/readme"
	cat "$dir/readme" >"$readme"
fi
diff <(session | masked) <(masked <"$dir/screen") || fail 'the README shows something else'
echo "ok: $(grep -c . "$dir/lines") lines, as the README shows them"
line quit
await_end
stop
