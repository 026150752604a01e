#!/bin/bash
# SPDX-License-Identifier: MIT
# explain.sh RDMASH: every value of the installed headers has an entry in explain, found by its
# name; how many entries there are, and how many have a script that provokes them.
set -u
rdmash=$1
scripts=$(cd "$(dirname "$0")/.." && pwd)
include=$(pkg-config --variable=includedir libibverbs)
: "${include:=/usr/include}"

# values HEADER ENUM: its names, a line each
values() {
	awk -v enum="enum $2 {" '
		index($0, enum) == 1 { inside = 1; next }
		/^}/ { inside = 0 }
		inside && match($0, /^[ \t]*(IBV|RDMA)_[A-Z0-9_]+/) {
			gsub(/[ \t]/, "", $0)
			match($0, /^[A-Z0-9_]+/)
			print substr($0, 1, RLENGTH)
		}' "$include/$1" | grep -vx -e IBV_QPS_UNKNOWN
}

names=$(for enum in ibv_wc_status ibv_wc_opcode ibv_wr_opcode ibv_event_type ibv_access_flags \
	ibv_qp_state ibv_qp_attr_mask ibv_send_flags; do
	values infiniband/verbs.h $enum
done
for enum in rdma_cm_event_type rdma_port_space; do
	values rdma/rdma_cma.h $enum
done)
n=$(wc -w <<<"$names")
[ "$n" -gt 100 ] || { echo "only $n values found in $include"; exit 1; }

# shellcheck disable=SC2016  # Tcl's, not the shell's
"$rdmash" -q --unsafe -f /dev/stdin "$scripts" $names <<'EOF'
set scripts [lindex $argv 0]
foreach name [lrange $argv 1 end] {
	expect -name "$name is known" -true {
		[dict exists [explain $name] name] &&
			[string match "*_[dict get [explain $name] name]" $name]
	}
}
set total 0
set provoked 0
set families {wc-status cm-event rej errno async state attribute qp-type access opcode
	wc-opcode send-flag port-space}
foreach family $families {
	foreach entry [explain $family] {
		set all [explain $family [dict get $entry name]]
		expect -name "$family [dict get $entry name] tells its source" -true {
			[dict get $all see] ne "" && [dict get $all means] ne ""
		}
		incr total
		if {![dict exists $all script]} continue
		incr provoked
		tcl_close [tcl_open $scripts/[dict get $all script].rdma]
	}
}
echo "explain: $total entries, $provoked with a script that provokes them"
EOF
