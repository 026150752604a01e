#!/bin/sh
# SPDX-License-Identifier: MIT
# Nothing but shell/output/print.c prints in these folders: what others send must not reach the
# terminal another way. The files that may all the same:
folders='shell cmds calls model vtrace/*.c'
except='^shell/(output/print|edit/edit[a-z_]*)\.c: the line that is being typed
^shell/serve/serve\.c: puts a channel in the place of the streams
^shell/(help/help|main)\.c: the options, versions and the manual page: our own words; a panic
^vtrace/door\.c: the same of vtrace
^vtrace/vtrace\.c: the options and the version; our own words
^calls/backend\.c: why a library cannot be loaded, and the end of the process
^model/replay/program\.c: names that exported programs cannot use'
cd "$(dirname "$0")/../.." || exit 1
# shellcheck disable=SC2086 # words
found=$(grep -rnE --include=*.c --exclude-dir=tests \
	-e '(^|[^a-z_])(v?printf|puts|putchar|perror|v?dprintf)\(' -e '\bstd(out|err)\b' $folders |
	grep -vE "$(printf '%s\n' "$except" | sed 's/: .*/:/')" |
	grep -vE 'fflush\(std|fileno\(std|"std(out|err)"')
# In uroce, which others load: only these, and text of others passes shown() before (link/shown.h).
#   uroce.c, engine.c, verbs_device.c, tap.c, link_setup.c, group_messages.c, stubs.c   our own words, and
#               reasons made of shown text
#   seeds.c     and what the user's own program has written, as if it were not run by uroce
#   lent.c      and the place of a post, as the program's debugging information has it, by shown()
#   status_text.c, tree.c                                 what processes say, by shown(); files of our own
found="$found$(grep -rnE --include=*.c --exclude-dir=tests \
	-e '(^|[^a-z_])(v?printf|puts|putchar|perror|v?dprintf)\(' -e '\bstd(out|err)\b' uroce |
	grep -vE '^uroce/(tool/(uroce|seeds)|engine/engine|verbs/(verbs_device|lent)|link/(tap|link_setup|group_messages)|preload/(stubs|status_text|tree))\.c:')"
# /proc/PID/comm is what a program calls itself
found="$found$(grep -rlE --include=*.c --exclude-dir=tests -e '/comm"' uroce | xargs -r grep -L '\bshown(')"
[ -z "$found" ] || { printf 'these print by themselves:\n%s\n' "$found"; exit 1; }
