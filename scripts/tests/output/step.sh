#!/bin/bash
# SPDX-License-Identifier: MIT
# step.sh RDMASH: step mode stops before each call, shows what changed, and reads its answers
# from standard input.
set -u
out=$(printf 'huh\n\nskip\n\nquit\n' |
	"$1" -q -c 'step on' -c 'qp create' -c 'modify-qp INIT -fill' -c 'reg 4096' -c 'reg 64' 2>&1)
failed=0
# has N TEXT: so many lines with it
has() {
	[ "$(grep -cF -- "$2" <<<"$out")" = "$1" ] && return
	printf 'not ok: %s times "%s" in\n%s\n' "$1" "$2" "$out"
	failed=1
}
has 0 'step   ibv_query_' # what only asks is just called
has 2 'step   ibv_alloc_pd '   # asked again after an answer that it does not know
has 1 'Enter: call it'
has 1 'step   ibv_create_cq '  # skip: no stop before ibv_create_qp
has 0 'step   ibv_create_qp '
has 1 'step   ibv_modify_qp ' # the next command stops again
has 1 'qp0 state: RESET -> INIT'
has 1 'step   ibv_reg_mr pd0' # quit: the second one does not stop
out=$(printf '\n' | "$1" -q -c 'step on' -c 'pd' -c 'step off' 2>&1)
has 1 '+ pd0' # told when its command ends, not before the next call
exit $failed
