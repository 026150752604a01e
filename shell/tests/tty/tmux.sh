# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# Drives a program at a terminal of its own, in a private tmux. To be sourced by a test
# that is called with the program to run (and its arguments). Nothing here waits for a
# fixed time: await looks until the screen is as wanted.

set -eu

command -v tmux >/dev/null || { echo "no tmux"; exit 77; }
[ $# -gt 0 ] || { echo "usage: $0 program [argument ...]" >&2; exit 2; }

LC_ALL=C.UTF-8
export LC_ALL
unset TMUX TMUX_PANE NO_COLOR 2>/dev/null || :

dir=$(mktemp -d)
# The end of a prompt without anything typed.
prompt='> *$'

on_tmux() {
	tmux -u -S "$dir/tmux" -f /dev/null "$@"
}

# A program that is just ending may still write its history.
clean_up() {
	on_tmux kill-server 2>/dev/null || :
	until_so 5 rm -rf "$dir" 2>/dev/null || :
}
trap clean_up EXIT
trap 'exit 1' HUP INT TERM

# Words as one command line for sh.
quoted() {
	for word; do
		printf "'%s' " "$(printf %s "$word" | sed "s/'/'\\\\''/g")"
	done
}

# The program runs in the terminal under a shell that stays to tell how it ended.
runner='
trap : INT
echo "$$" >"$HOME/runner"
sh -c '\''echo "$$" >"$HOME/pid"; exec "$@"'\'' sh "$@"
echo "[ended $?]"
while read -r line; do :; done
'

in_home() {
	quoted env HOME="$dir" PAGER="${PAGER-}" LC_ALL="$LC_ALL" XDG_STATE_HOME="$dir/state" XDG_CONFIG_HOME="$dir/config" \
		sh -c "$runner" sh "$@"
}

# start PROGRAM [ARGUMENT ...]: in a terminal of $columns x $rows, with a home of its own.
start() {
	# without its last session the server would end, and might do so under the next start
	on_tmux start-server \; set -s exit-empty off \; set -g status off \; \
		set -g escape-time 0 \; \
		new-session -d -x "${columns:-80}" -y "${rows:-24}" "exec $(in_home "$@")"
}

# A second one beside it, in a window of its own, which is shown now.
start_second() {
	on_tmux new-window "exec $(in_home "$@")"
}

# window N: shows the first (0) or the second (1).
window() {
	on_tmux select-window -t ":$1"
}

# Takes the terminal away.
stop() {
	on_tmux kill-session
	until_so 60 gone "$(cat "$dir/runner")" || fail 'the terminal stays'
}

# A zombie is gone, too: where process 1 is no init, as in containers, nobody takes it.
gone() {
	! kill -0 "$1" 2>/dev/null || grep -q '^State:.Z' "/proc/$1/status" 2>/dev/null
}

screen() {
	on_tmux capture-pane -p
}

# With the colours, as escape sequences.
colors() {
	on_tmux capture-pane -p -e
}

# "column row" of the cursor, from 0.
cursor() {
	on_tmux display-message -p '#{cursor_x} #{cursor_y}'
}

type() {
	on_tmux send-keys -l -- "$1"
}

# key NAME ...: as tmux calls them (Enter, Tab, C-c, Up ...).
key() {
	on_tmux send-keys "$@"
}

# line TEXT: types it, and Enter.
line() {
	type "$1"
	key Enter
}

# paste TEXT: marked as a paste, if the program has asked for that.
paste() {
	on_tmux set-buffer -- "$1"
	on_tmux paste-buffer -p
}

has_size() {
	[ "$(stty size <"$1")" = "$3 $2" ]
}

# resize COLUMNS ROWS: tmux tells the program some time after it has changed the screen.
resize() {
	on_tmux resize-window -x "$1" -y "$2"
	until_so 60 has_size "$(on_tmux display-message -p '#{pane_tty}')" "$1" "$2" ||
		fail 'the size stays'
}

# a N: a word of that length.
a() {
	printf "%$1s" '' | sed 's/ /a/g'
}

# Of the program started last.
pid() {
	cat "$dir/pid"
}

fail() {
	{
		echo "$0: $1; the screen:"
		screen 2>/dev/null | sed 's/^/| /' || :
	} >&2
	exit 1
}

# until_so SECONDS COMMAND ...: whether the command succeeds within that time, or somewhat more
# (no clock is asked: that is a program, and slow where the processor is emulated). A text that does not
# come at once is looked for less often: each look starts programs.
until_so() {
	left=$(($1 * 100)) pause=3
	shift
	until "$@"; do
		[ "$left" -gt 0 ] || return 1
		left=$((left - pause))
		case $pause in
		3) sleep 0.03; pause=7 ;;
		7) sleep 0.07; pause=15 ;;
		*) sleep 0.15 ;;
		esac
	done
}

shows() {
	screen 2>/dev/null | grep -Eq -- "$1"
}

shows_not() {
	! shows "$1"
}

# await REGEX [SECONDS]: a line of the screen matches.
await() {
	until_so "${2:-60}" shows "$1" || fail "'$1' does not appear"
}

# await_not REGEX [SECONDS]: no line matches (any more).
await_not() {
	until_so "${2:-60}" shows_not "$1" || fail "'$1' stays"
}

has_cursor() {
	[ "$(cursor)" = "$1" ]
}

await_cursor() {
	until_so 60 has_cursor "$1" || fail "the cursor is at $(cursor), not at $1"
}

ends_with() {
	[ "$(screen | sed -e :a -e '/^\n*$/{$d;N;ba' -e '}' |
		tail -n "$(printf '%s\n' "$1" | wc -l)")" = "$1" ]
}

# await_rows TEXT: the last rows with anything on them are exactly these.
await_rows() {
	until_so 60 ends_with "$1" || {
		printf '%s\n' "$1" | sed 's/^/wanted: /' >&2
		fail "the rows are others"
	}
}

has_column() {
	[ "$(cursor | cut -d' ' -f1)" = "$1" ]
}

# await_column N: in whatever row.
await_column() {
	until_so 60 has_column "$1" || fail "the cursor is at $(cursor), not in column $1"
}

is_screen() {
	[ "$(screen)" = "$1" ]
}

# await_screen TEXT: the screen is exactly this (less the empty rows at its end).
await_screen() {
	until_so 60 is_screen "$1" || {
		printf '%s\n' "$1" | sed 's/^/wanted: /' >&2
		fail "the screen is another"
	}
}

# The last row with anything on it is a prompt and nothing else: the terminal is raw, and a
# key is the editor's. Before, while a command runs or the prompt changes, the terminal itself
# takes what acts as a key: Ctrl-D, ^R, ^U, ^W, and Ctrl-C, which also drops what was typed
# and not read yet.
at_prompt() {
	screen 2>/dev/null | awk -v prompt="^[^>]*$prompt" '!/^ *$/ { last = $0 } END { exit last !~ prompt }'
}

off_prompt() {
	! at_prompt
}

await_prompt() {
	until_so 60 at_prompt || fail 'no prompt'
}

# run TEXT: as line, until the next prompt is there.
run() {
	type "$1"
	until_so 60 off_prompt || fail "'$1' is not shown"
	key Enter
	await_prompt
}

has_only() {
	screen | awk -v wanted="$1" '/./ { n++; last = $0 } END { exit !(n == 1 && last ~ wanted) }'
}

# clear_screen [COMMAND [PROMPT]]: nothing is left but a prompt. Before text is awaited that the
# screen has shown already.
clear_screen() {
	line "${1-!clear}"
	until_so 60 has_only "${2-$prompt}" || fail 'the screen is not cleared'
}

# Ctrl-C, where something is typed that the screen shows.
cancel() {
	key C-c
	await_prompt
}

# The program ends by itself, with status 0.
await_end() {
	await '^\[ended 0\]$'
}

# take_notices: edit_demo listens for those of post.
take_notices() {
	mkfifo "$dir/notices"
	run "notices $dir/notices"
}

# post TEXT: a notice comes, now.
post() {
	printf %s "$1" >"$dir/notices"
}

# For tests that need commands of edit_demo.
demo_only() {
	case $1 in
	*edit_demo*) ;;
	*) echo "only for edit_demo"; exit 77 ;;
	esac
}
