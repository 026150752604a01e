# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2034 # the test ends with failed
# Shared by the tests of options of vtrace: a folder $work, which goes with the test, and fail.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

fail() {
	echo "FAILED: $*"
	failed=1
}
