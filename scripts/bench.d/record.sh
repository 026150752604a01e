#!/bin/bash
# SPDX-License-Identifier: MIT
#
# bench record: runs a program of the tests, because the library must be linked into it.
set -eu
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

exec "${rdmash%/*}/calls/tests/record_bench" "$@"
