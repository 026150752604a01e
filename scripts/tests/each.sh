#!/bin/bash
# SPDX-License-Identifier: MIT
# each.sh RDMASH FOLDER: all scripts of a folder, one after the other, on the device there is.
# One that ends with its require is named: on both devices it should be an exception.
set -u
status=0
for file in "$2"/*.rdma; do
	name=$(basename "$file" .rdma)
	out=$("$1" -q -f "$file" 2>&1)
	case $? in
	0) echo "ok: $name" ;;
	77) echo "skipped: $name: $(tail -n 1 <<<"$out")" ;;
	*)
		status=1
		printf 'not ok: %s\n%s\n' "$name" "$out"
		;;
	esac
done
exit "$status"
