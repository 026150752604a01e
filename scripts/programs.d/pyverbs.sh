#!/bin/bash
# SPDX-License-Identifier: MIT
# pyverbs.sh DEVICE: runs rdma-core's own tests of pyverbs, which Debian's python3-pyverbs has as
# compressed documentation. None may fail; they skip what the device does not support.
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
