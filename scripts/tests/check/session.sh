#!/bin/bash
# SPDX-License-Identifier: MIT
# session.sh RDMASH: check on applies the rules to the session; what they find is a notice, a line of
# explain, and a row of the timeline. On uroce.
set -u
rdmash=$1
here=$(cd "$(dirname "$0")" && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
lib=$(cd "$here/../../explain/lib" && pwd)
"$rdmash" -q --allow-dir "$lib" -f "$here/session.rdma" -- "$lib" || exit 1

"$rdmash" --allow-dir "$lib" -f - >"$tmp/out" 2>"$tmp/err" <<END
source $lib/joined.rdma
timeline on
check on
joined
reg 64 -name brief
post recv brief -qp \$a
destroy brief
explain
timeline
check
END
says='mistake \[dereg-posted\]: brief was deregistered while 1 request of a1 with it was outstanding'
failed=0
for what in "err:^\* check $says" "out:^  check  *$says" "out:mistake .dereg-posted.: brief was deregistered +[│|]" \
	"out:^    brief was made by ibv_reg_mr at command [0-9]+$"; do
	grep -qE -- "${what#*:}" "$tmp/${what%%:*}" && continue
	echo "not ok: nothing of '${what#*:}'"
	failed=1
done
[ $failed = 0 ] || cat "$tmp/out" "$tmp/err"
exit $failed
