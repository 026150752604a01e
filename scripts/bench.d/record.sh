#!/bin/bash
# SPDX-License-Identifier: MIT
#
# bench record: a program of the tests, as the library has to be within it.
set -eu
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

exec "${rdmash%/*}/calls/tests/record_bench" "$@"
