#!/bin/bash
# SPDX-License-Identifier: MIT
#
# errors.sh UROCE RDMASH [all]: what both ends see of errors, of the device and the kernel's
# rxe, each as initiator and as responder; all: also of two rxe.
# shellcheck source-path=SCRIPTDIR source=lib.sh disable=SC2016
. "$(dirname "$0")/lib.sh" "$@"

script=$(realpath "$(dirname "$0")/errors.rdma")
server="\$on \$rdmash -q -k -f $script server \$(uname -r)"
client="\$on \$rdmash -q -k -f $script client"
both 'errors' 7471 "$server" "$client \$peer \$(uname -r)"
pair 'errors' uroce 7471 "$server" "$client \$me \$(uname -r)" uroce
[ "${3-}" != all ] || pair 'errors' rxe 7471 "$server" "$client \$me \$(uname -r)" rxe
finish
