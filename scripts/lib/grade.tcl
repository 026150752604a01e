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
	# Rows that are lost prove nothing: a word that needs them is an error.
	proc needs args {
		foreach what $args {
			if {[set n [missing $what]]} {
				error "$n $what of the hand-in are no longer in the record: it made too many to be graded by them"
			}
		}
	}
	# The rows since the QP of that name was made last: an earlier QP may have had that name, too.
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
	# The elements of a list of structs that have that member; a single one stands for a list of it.
	proc elements {value member} {
		if {![string is list $value]} { return {} }
		if {![catch {dict exists $value $member} has] && $has} { return [list $value] }
		lmap element $value {
			if {[catch {dict get $element $member}]} { continue }
			set element
		}
	}
	proc total {elements member} {
		set sum 0
		foreach element [elements $elements $member] { incr sum [dict get $element $member] }
		return $sum
	}
	# How many elements meet all conditions, pairs of a path and its value. One SGE must meet those of
	# SGEs, but the length is that of all of them together.
	proc matching {value wanted} {
		foreach {path wants} $wanted {
			set rest [lassign [split $path .] member]
			if {$path eq "sg_list.length"} { set member $path }
			dict lappend conditions $member [join $rest .] $wants
		}
		set n 0
		foreach element [elements $value [lindex [split [lindex $wanted 0] .] 0]] {
			set met 1
			dict for {member its} $conditions {
				set met [expr {$met && [meets $element $member $its]}]
			}
			incr n $met
		}
		return $n
	}
	proc meets {element member conditions} {
		if {![dict exists $element [lindex [split $member .] 0]]} { return 0 }
		if {$member eq "sg_list.length"} {
			set is [total [dict get $element sg_list] length]
		} else {
			set is [dict get $element $member]
			if {[lindex $conditions 0] ne ""} { return [expr {[matching $is $conditions] > 0}] }
		}
		foreach {rest wants} $conditions {
			if {$is ne $wants && $is != $wants} { return 0 }
		}
		return 1
	}
	# How many requests of a call meet the conditions; of a call without a list of them 1.
	proc has {row wanted} {
		lassign {{} {}} of_call of_request
		foreach {path wants} $wanted {
			if {[regsub {^wr\.} $path {} path]} {
				lappend of_request $path $wants
			} else {
				lappend of_call $path $wants
			}
		}
		set its [field $row args]
		if {($of_call ne "" && ![matching $its $of_call]) || ($of_request ne "" && ![dict exists $its wr])} {
			return 0
		}
		expr {$of_request eq "" ? 1 : [matching [dict get $its wr] $of_request]}
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
	foreach row [::grade::of_qp call [expr {[dict exists $args qp] ? [dict get $args qp] : "*"}]] {
		if {![dict get $row bad] && [::grade::field $row call] eq $function} {
			incr n [expr {[::grade::times $row] * [::grade::has $row $args]}]
		}
	}
	return $n
}
# The opcode of a failed completion is not valid, and not recorded.
proc completions {status {opcode *} {qp *}} {
	# the calls tell which QP of that name was made last
	::grade::needs {*}[expr {$qp eq "*" ? {} : "calls"}] requests
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
