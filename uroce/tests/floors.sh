#!/bin/bash
# SPDX-License-Identifier: MIT
#
# floors.sh UROCE: the sources in UROCE/spec, wire, base and link include headers of their own folder,
# of those before it, and those that all may use, but none of a floor above.
set -u
cd "$1" || exit 1
status=0
below=(. ../common)
for floor in spec wire base link; do
	below+=("$floor")
	while IFS=: read -r file header; do
		found=
		for folder in "${below[@]}"; do
			[ ! -e "$folder/$header" ] || found=1
		done
		[ -n "$found" ] || { echo "$file includes $header, which is above $floor/" && status=1; }
	done < <(sed -n 's/^#include "\(.*\)"/\1/;T;F;p' "$floor"/*.[ch] | paste -d: - -)
done
exit $status
