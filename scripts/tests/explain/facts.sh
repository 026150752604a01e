#!/bin/bash
# SPDX-License-Identifier: MIT
# facts.sh RDMASH headers: every value of the installed headers has an entry in explain, found
#   by its name, and every entry has a meaning and a source.
# facts.sh RDMASH vendors: the makers in 'explain providers' have their numbers in pci.ids and
#   oui.txt, of the packages pci.ids and ieee-data; 77 where neither is installed.
# facts.sh RDMASH proved: runs scripts/explain on the device of this machine. An entry that names a
#   script must be proved by that script: a section of it, 'proves FAMILY/NAME', has passed, or
#   says why this device cannot show it; and no script proves an entry that does not name it.
set -u
rdmash=$1 what=$2
scripts=$(cd "$(dirname "$0")/../.." && pwd)
families="wc-status cm-event rej errno async state attribute qp-type access opcode wc-opcode
	send-flag port-space rule term"

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

headers() {
	include=$(pkg-config --variable=includedir libibverbs)
	: "${include:=/usr/include}"
	names=$(for enum in ibv_wc_status ibv_wc_opcode ibv_wr_opcode ibv_event_type \
		ibv_access_flags ibv_qp_state ibv_qp_attr_mask ibv_send_flags; do
		values infiniband/verbs.h $enum
	done
	for enum in rdma_cm_event_type rdma_port_space; do
		values rdma/rdma_cma.h $enum
	done)
	n=$(wc -w <<<"$names")
	[ "$n" -gt 100 ] || { echo "only $n values found in $include"; exit 1; }
	# shellcheck disable=SC2016,SC2086  # Tcl's, not the shell's; a word each
	"$rdmash" -q -f /dev/stdin "$families" $names <<-'EOF' || exit
	foreach name [lrange $argv 1 end] {
		expect -name "$name is known" -true {
			[dict exists [explain $name] name] &&
				[string match "*_[dict get [explain $name] name]" $name]
		}
	}
	foreach family [lindex $argv 0] {
		foreach entry [explain $family] {
			set all [explain $family [dict get $entry name]]
			expect -name "$family [dict get $entry name] tells its source" -true {
				[dict get $all see] ne "" && [dict get $all means] ne ""
			}
		}
	}
	EOF
	offered
}

# Tab offers nothing that explain does not know.
offered() {
	local lines
	lines=$("$rdmash" --complete 'explain ' | grep -v '^explain -') # options are no names
	grep -qx 'explain ibv_post_recv' <<<"$lines" || { echo 'not ok: functions are not offered'; exit 1; }
	"$rdmash" -q -f - <<<"$lines" || exit
	echo "ok: $(wc -l <<<"$lines") names that Tab offers are known"
}

# listed FILE ID NAME: who has the vendor's number
listed() {
	case $1 in
	pci.ids) grep -qx "$2  $3" /usr/share/misc/pci.ids ;;
	oui.txt) grep -F "$(tr a-f A-F <<<"00$2")     (base 16)" /usr/share/ieee-data/oui.txt | grep -qF "	$3" ;;
	esac
}

# the numbers of makers are not from memory
vendors() {
	local n=0 file id name
	# shellcheck disable=SC2016  # Tcl's
	while IFS=$'\t' read -r file id name; do
		[ -r /usr/share/misc/"$file" ] || [ -r /usr/share/ieee-data/"$file" ] || continue
		n=$((n + 1))
		listed "$file" "$id" "$name" && continue
		echo "not ok: explain providers: vendor 0x$id is not '$name' in $file"
		return 1
	done < <("$rdmash" -q -c 'foreach p [explain providers] {
		if {[regexp {^(pci.ids|oui.txt): (.*)} [dict get $p vendor_source] - file name]} {
			echo "$file\t[format %04x [dict get $p vendor_id]]\t$name"
		}
	}')
	[ $n -gt 0 ] || { echo 'skipped: no pci.ids, no oui.txt (pci.ids, ieee-data)'; exit 77; }
	echo "ok: $n vendors are those of pci.ids and oui.txt"
}

# "FAMILY/NAME SCRIPT" of all entries; SCRIPT is - where none is named
entries() {
	# shellcheck disable=SC2016  # Tcl's
	"$rdmash" -q -f /dev/stdin "$families" <<-'EOF'
	foreach family [lindex $argv 0] {
		foreach entry [explain $family] {
			set name [dict get $entry name]
			set all [explain $family $name]
			echo "$family/$name [expr {[dict exists $all script] ? [dict get $all script] : "-"}]"
		}
	}
	EOF
}

proved() {
	dir=$(mktemp -d)
	trap 'rm -rf "$dir"' EXIT
	failed=0
	for file in "$scripts"/explain/*.rdma; do
		name=explain/$(basename "$file" .rdma)
		unsafe=() # it calls ip(8), in a network that is this test's own; it writes packets
		case $name in explain/network | explain/rejects | explain/system) unsafe=(--unsafe) ;; esac
		"$rdmash" -q "${unsafe[@]}" -f "$file" -- "$dir/packets" >"$dir/out" 2>"$dir/err" ||
			{ echo "not ok: $name"; sed 's/^/    /' "$dir/out" "$dir/err"; }
		awk -v name="$name" '$1 == "proved" || $1 == "elsewhere" { print $1, $2, name }' "$dir/out"
	done >"$dir/all"
	grep -v '^proved \|^elsewhere ' "$dir/all"
	grep '^proved \|^elsewhere ' "$dir/all" | awk '{ print $2, $3 }' | sort >"$dir/shown"
	entries >"$dir/entries"
	grep -v ' -$' "$dir/entries" | sort >"$dir/named"
	grep -q '^not ok' "$dir/all" && failed=1
	if ! diff "$dir/named" "$dir/shown" >"$dir/diff"; then
		echo "not ok: the entries that name a script (<) are not those that a script proves (>)"
		cat "$dir/diff"
		failed=1
	fi
	echo "explain: $(wc -l <"$dir/entries") entries, $(wc -l <"$dir/named") proved by a script," \
		"$(grep -c '^proved ' "$dir/all") of them on this device"
	exit "$failed"
}
$what
