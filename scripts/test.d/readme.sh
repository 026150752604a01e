# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2034,SC2154 # scripts/test reads and sets variables
what[readme]='the commands of the README for building and installing, line by line in bare trees of
	Debian 12 and 13'

step_readme() {
	local release dir=$trees/readme at=/root/rdmash
	need debootstrap || return
	for release in bookworm trixie; do
		tree "$trees/bare-$release" "$release" || { fail "$release: no tree"; continue; }
		as_root rm -rf "$dir"
		as_root cp -a "$trees/bare-$release" "$dir"
		copy_sources "$dir$at"
		inside "$dir" bash "$at/scripts/tests/docs/readme-tree.sh" || fail "$release: README"
		as_root rm -rf "$dir"
	done
}
