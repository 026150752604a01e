#!/bin/bash
# SPDX-License-Identifier: MIT
# help-examples.sh RDMASH: every example of every command's help, in one machine of the lab.
set -u
here=$(cd "$(dirname "$0")" && pwd)
lab=$here/../rxe-lab

"$lab" check || exit
exec "$lab" run -t 580 sh "$here/../../shell/tests/examples.sh" "$1"
