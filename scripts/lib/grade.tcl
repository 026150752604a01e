# SPDX-License-Identifier: MIT
# The words of rules (rdmash --grade); 'help grade' lists them. They read the fields of the rows of the
# record, as 'timeline -all' and 'vtrace --timeline -j' give them, and nothing that the hand-in could define.
namespace eval ::grade {
	variable rows; variable lost 0

	proc read {} {
		variable rows; variable lost
		if {![info exists rows] && [catch {timeline -all} rows]} { set rows {} }
		foreach what {calls requests packets} { incr lost [missing $what] }
	}
	proc field {row name} {
		expr {[dict exists $row fields $name] ? [dict get $row fields $name] : ""}
	}
	# How many calls, requests (posts and polls) or packets the record has lost.
	proc missing what {
		set n 0
		foreach row [rows notice] { incr n [expr {[set its [field $row $what]] eq "" ? 0 : $its}] }
		return $n
	}
	# Of what was lost nobody can say that it was, nor that it was not.
	proc needs args {
		foreach what $args {
			if {[set n [missing $what]]} {
				error "$n $what of the hand-in are no longer in the record: it made too many to be graded by them"
			}
		}
	}
	# The rows since the QP of that name was made last: it is another one then.
	proc of_qp {kind qp} {
		set kept {}
		foreach row [rows] {
			set its [dict get $row kind]
			if {$its eq "state" && [dict get $row name] eq $qp && [field $row from] eq ""} { set kept {} }
			if {$its eq $kind} { lappend kept $row }
		}
		return $kept
	}
	proc times row { expr {1 + ([dict exists $row again] ? [dict get $row again] : 0)} }
	# The values at a path, "wr.sg_list.length"; of a list those of each of its elements.
	proc values {value path} {
		set rest [lassign $path key]
		if {$path eq ""} { return [list $value] }
		if {![catch {dict get $value $key} inner]} { return [values $inner $rest] }
		set all {}
		foreach element $value {
			if {![catch {dict get $element $key} inner]} { lappend all {*}[values $inner $rest] }
		}
		return $all
	}
	proc has {row wanted} {
		foreach {path value} $wanted {
			set any 0
			foreach its [values [field $row args] [split $path .]] {
				set any [expr {$any || $its eq $value || $its == $value}]
			}
			if {!$any} { return 0 }
		}
		return 1
	}
}
proc rows {{kind *}} {
	lmap row $::grade::rows {
		if {![string match $kind [dict get $row kind]]} { continue }
		set row
	}
}
# Is all that the hand-in did in the rows? Only then can be said that something did not happen.
proc complete {} { expr {!$::grade::lost && [llength [rows]]} }
proc qps {} {
	::grade::needs calls
	set names {}
	foreach row [rows state] {
		if {[dict get $row name] ni $names} { lappend names [dict get $row name] }
	}
	return $names
}
proc states qp {
	::grade::needs calls
	lmap row [::grade::of_qp state $qp] {
		if {[dict get $row name] ne $qp} { continue }
		dict get $row state
	}
}
proc passed {qp args} { string match "* $args *" " [states $qp] " }
# The attributes of the last ibv_modify_qp() to a state that succeeded, as a dict; {}: there is none.
proc attributes {qp state} {
	::grade::needs calls
	set found {}
	foreach row [::grade::of_qp call $qp] {
		if {![dict get $row bad] && [::grade::field $row call] eq "ibv_modify_qp" &&
		    [::grade::has $row [list qp $qp attr.qp_state $state]]} {
			set found [dict get $row fields args attr]
		}
	}
	return $found
}
proc attribute {qp state name} {
	set all [attributes $qp $state]
	expr {[dict exists $all $name] ? [dict get $all $name] : ""}
}
proc called {function args} {
	::grade::needs calls requests
	set n 0
	foreach row [rows call] {
		if {![dict get $row bad] && [::grade::field $row call] eq $function && [::grade::has $row $args]} {
			incr n [::grade::times $row]
		}
	}
	return $n
}
# A failed one has no opcode: that is not valid.
proc completions {status {opcode *} {qp *}} {
	::grade::needs requests
	set n 0
	foreach row [::grade::of_qp completion $qp] {
		incr n [expr {[string match $status [::grade::field $row status]] &&
			      [string match $opcode [::grade::field $row opcode]] &&
			      [string match $qp [dict get $row name]]}]
	}
	return $n
}
proc packets {opcode {syndrome *}} {
	::grade::needs packets
	set n 0
	foreach row [rows packet] {
		if {[string match $opcode [::grade::field $row opcode]] &&
		    [string match $syndrome [::grade::field $row syndrome]]} { incr n [::grade::times $row] }
	}
	return $n
}
# Calls that failed, as "call ERRNO".
proc failures {} {
	::grade::needs calls requests
	set failed {}
	foreach row [rows call] {
		if {[dict get $row bad]} { lappend failed "[::grade::field $row call] [::grade::field $row errno]" }
	}
	return $failed
}
