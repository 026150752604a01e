#!/bin/sh
# SPDX-License-Identifier: MIT
# scratch.sh UROCE PROGRAM [ARG...]: runs PROGRAM SCRATCH ARG... on the embedded device, with a
# directory of its own; when it fails, prints the end of the file log there.
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
uroce=$1 program=$2
shift 2
"$uroce" "$program" "$scratch" "$@"
status=$?
[ $status = 0 ] || tail -n 100 "$scratch/log"
exit $status
