#!/bin/bash
# SPDX-License-Identifier: MIT
#
# What both ends see of an error, of all pairs of the device and the kernel's rxe.
# shellcheck source-path=SCRIPTDIR source=lib.sh disable=SC2016
. "$(dirname "$0")/lib.sh" "$@"
limit=100

script=$(realpath "$(dirname "$0")/errors.rdma")
play="\$on \$rdmash -q -k -f $script"
both 'errors' 7471 "$play server" "$play client \$peer"
pair 'errors' rxe 7471 "$play server" "$play client \$me" rxe
pair 'errors' uroce 7471 "$play server" "$play client \$me" uroce
finish
