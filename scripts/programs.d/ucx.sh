#!/bin/bash
# SPDX-License-Identifier: MIT
#
# ucx.sh DEVICE TRANSPORTS OPTION...: ucx_perftest over that device. Newer versions take themselves for
# processes of MPI if there is no terminal, unless -P 0 says otherwise; older ones do not know that.
export UCX_NET_DEVICES=$1:1 UCX_TLS=$2,self
shift 2
! ucx_perftest -h | grep -q '^ *-P <0|1>' || set -- -P 0 "$@"
exec ucx_perftest "$@"
