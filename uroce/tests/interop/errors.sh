#!/bin/bash
# SPDX-License-Identifier: MIT
#
# errors.sh UROCE RDMASH [all]: what both ends see of errors, of the device and the kernel's
# rxe, each as initiator and as responder; all: also of two rxe. Then, of READs whose answers are
# disturbed.
# shellcheck source-path=SCRIPTDIR source=lib.sh disable=SC2016,SC2034
limit=300 # the machine may be slow
. "$(dirname "$0")/lib.sh" "$@"

for what in errors reads; do
	script=$(realpath "$(dirname "$0")/$what.rdma")
	server="\$on \$rdmash -q -k -f $script server"
	client="\$on \$rdmash -q -k -f $script client"
	both "$what" 7471 "$server" "$client \$peer"
	pair "$what" uroce 7471 "$server" "$client \$me" uroce
	[ "${3-}" != all ] || pair "$what" rxe 7471 "$server" "$client \$me" rxe
done
finish
