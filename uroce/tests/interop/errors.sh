#!/bin/bash
# SPDX-License-Identifier: MIT
#
# What both ends see of an error, of all pairs of the device and the kernel's rxe.
# shellcheck source-path=SCRIPTDIR source=lib.sh disable=SC2016
. "$(dirname "$0")/lib.sh" "$@"
limit=100

script=$(realpath "$(dirname "$0")/errors.rdma")
both "errors" 7471 "\$on \$rdmash $FLAGS -f $script server" "\$on \$rdmash $FLAGS -f $script client \$peer"
finish
