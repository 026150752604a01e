#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Between the device and the kernel's rxe: transfers of many MiB, and ends that are killed in
# the middle of them and started again.
# shellcheck source-path=SCRIPTDIR source=lib.sh disable=SC2016,SC2034
bridge=(-u 4200) # for packets of 4096 bytes
. "$(dirname "$0")/lib.sh" "$@"

here=$(realpath "$(dirname "$0")")
both '8 MiB' 7471 "\$on \$rdmash -q -f $here/bulk.rdma server" \
	"\$on \$rdmash -q -f $here/bulk.rdma client \$peer"

play="\$on \$rdmash -q -f $here/flow.rdma"
# killed WORDS: a text that plays this end until it is in the middle, and no longer
killed() {
	echo "said=\$(mktemp); $play $1 killed >\$said 2>&1 & p=\$!; echo \$p >&2
		until grep -q middle \$said; do kill -0 \$p || { cat \$said; exit 1; }; sleep 0.05; done
		kill -9 \$p; wait \$p; [ \$? = 137 ]"
}
# the other end may not be there again at once
again="for n in {1..20}; do $play client \$peer whole && exit; sleep 0.5; done; exit 1"
both 'the client is killed' 7471 "$play server survivor && $play server whole" \
	"$(killed 'client $peer') && { $again; }"
both 'the server is killed' 7471 "$(killed server) && $play server whole" \
	"$play client \$peer survivor && { $again; }"
finish
