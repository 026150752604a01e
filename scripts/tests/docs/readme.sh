#!/bin/bash
# SPDX-License-Identifier: MIT
# readme.sh RDMASH README: the first session of the README, typed at a terminal of 80 columns, shows
# what its picture shows. Not compared: addresses, keys, ports, numbers of QPs and times, and when
# notices and the state of the QP after the error appear. Its other blocks run, too (those that build
# and install: readme-tree.sh); its links lead somewhere, and it is short. With --write the picture is
# made of what the screen shows.
# shellcheck source-path=SCRIPTDIR source=../../../shell/tests/tty/tmux.sh
. "$(dirname "$0")/../../../shell/tests/tty/tmux.sh"
# shellcheck source-path=SCRIPTDIR source=../wait.sh
. "$(dirname "$0")/../wait.sh"
rdmash=$1 readme=$2 write=${3-}
here=$(dirname "$0")
top=$(dirname "$readme")
picture=$top/docs/session.svg
picture() {
	python3 "$here/../../picture.py" "$@"
}

# block HEADING: the first one below it
block() {
	awk -v heading="## $1" -f "$here/block.awk" "$readme"
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
[ "$(grep -c '^```' "$readme")" = 12 ] || fail 'a block of the README that nothing here runs'

# Checks with something to check: a connection with a write that is on its way.
{
	sed -n '1,/^post write/p' <(block 'Sixty seconds')
	cat "$dir/checks.rdma"
} >"$dir/checked.rdma"
"$rdmash" -X -q -f "$dir/checked.rdma" >"$dir/verdict" || fail "checks: $(cat "$dir/verdict")"
grep -q '^ok 2' "$dir/verdict" || fail "not two checks: $(cat "$dir/verdict")"
echo 'ok: the script with a verdict'

# node2 is this host, and ssh(1) one that goes nowhere.
mkdir "$dir/bin"
ln -s "$(realpath "$rdmash")" "$dir/bin/rdmash"
cat >"$dir/bin/ssh" <<'END'
#!/bin/sh
while [ "$1" != -- ]; do shift; done
shift 2
exec sh -c "$*"
END
chmod +x "$dir/bin/ssh"
block 'Two ends' | sed 's/node2/127.0.0.1/' >"$dir/peer.rdma"
grep -q '^peer b -host 127.0.0.1$' "$dir/peer.rdma" || fail 'no peer in its block'
echo 'post write -text "hello, memory"; expect status SUCCESS {poll -within 60s}
expect -value "hello, memory" {@b mem get window 0 13}' >>"$dir/peer.rdma"
PATH=$dir/bin:$PATH timeout 60 "$rdmash" -X -q -c "$(cat "$dir/peer.rdma")" >"$dir/verdict" ||
	fail "the block of the peer: $(cat "$dir/verdict")"
echo 'ok: a peer'

# A program of one's own: rping is both.
if command -v rping >/dev/null; then
	ln -s "$(realpath "$UROCE")" "$dir/bin/uroce"
	printf '#!/bin/sh\nexec rping -c -C 3 -a "$1"\n' >"$dir/client"
	chmod +x "$dir/client"
	block 'Your own program, no RDMA device' >"$dir/lines"
	[ "$(grep -c '^uroce\|^UROCE_PCAP=all.pcapng uroce ./client ' "$dir/lines")" = 2 ] || fail 'not two programs'
	(cd "$dir" && PATH=$dir/bin:$PATH exec sh -c "exec $(sed -n 1p lines)") </dev/null >"$dir/server" 2>&1 &
	server=$!
	until listens; do
		kill -0 "$server" 2>/dev/null || fail "the server: $(cat "$dir/server")"
		nap 0.05
	done
	(cd "$dir" && PATH=$dir/bin:$PATH timeout 60 sh -c "$(sed -n 2p lines)") >"$dir/out" 2>&1 ||
		fail "the client: $(cat "$dir/out")"
	wait "$server" || :
	"$rdmash" -X -c "wire read {$dir/all.pcapng}" >"$dir/out" 2>&1
	grep -q RC_SEND "$dir/out" || fail "no packets in all.pcapng: $(head "$dir/out")"
	echo 'ok: a program on uroce0, with its packets'
fi

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
