#!/bin/bash
# SPDX-License-Identifier: MIT
# pyverbs.sh DEVICE: rdma-core's own tests of pyverbs, which Debian's python3-pyverbs brings as
# documentation, compressed. None may fail; what the device does not do they skip.
set -eu
from=/usr/share/doc/rdma-core/tests
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cp -r "$from" "$dir"
gunzip -f "$dir"/tests/*.gz
cd "$dir/tests"
# the system's Python, which pyverbs was built for
/usr/bin/python3 run_tests.py --dev "$1" 2>&1 | tail -n 40
exit "${PIPESTATUS[0]}"
