# SPDX-License-Identifier: MIT
# The words of rules (rdmash --grade); 'help grade' lists them. They read the rows of the record, as
# 'timeline -all' and 'vtrace --timeline -j' give them, and nothing that the hand-in could define.
namespace eval ::grade {
	variable json {} rows

	# The rows that vtrace has written: a list of flat objects.
	proc from_json text {
		set list {}
		foreach line [split $text \n] {
			if {[string index $line 0] eq "\["} { break }
		}
		foreach object [regexp -all -inline {\{(?:[^{}"]|"(?:[^"\\]|\\.)*")*\}} $line] {
			set row {}
			foreach {- key value} [regexp -all -inline \
				{"((?:[^"\\]|\\.)*)":("(?:[^"\\]|\\.)*"|[^,\}]*)} $object] {
				if {[string index $value 0] eq "\""} {
					set value [subst -nocommands -novariables [string range $value 1 end-1]]
				} else {
					set value [string map {true 1 false 0} $value]
				}
				dict set row $key $value
			}
			lappend list $row
		}
		return $list
	}
	proc read_rows {} {
		variable json
		if {$json ne ""} { return [from_json $json] }
		if {[catch {timeline -all} list]} { return {} }
		return $list
	}
}
proc rows {{kind *}} {
	if {![info exists ::grade::rows]} { set ::grade::rows [::grade::read_rows] }
	lmap row $::grade::rows {
		if {![string match $kind [dict get $row kind]]} { continue }
		set row
	}
}
# Is all that the hand-in did in the rows? Only then can be said that something did not happen.
proc complete {} {
	foreach row [rows notice] {
		if {[string match "* no longer in the record" [dict get $row text]]} { return 0 }
	}
	expr {[llength [rows]] > 0}
}
proc qps {} {
	set names {}
	foreach row [rows state] {
		if {[dict get $row name] ni $names} { lappend names [dict get $row name] }
	}
	return $names
}
# The states of a QP, in order. A QP of the same name that was made later begins again.
proc states qp {
	set states {}
	foreach row [rows state] {
		if {[dict get $row name] ne $qp} { continue }
		if {[dict get $row result] eq "created" || ![string match "* -> *" [dict get $row text]]} {
			set states {}
		}
		lappend states [dict get $row state]
	}
	return $states
}
proc passed {qp args} { string match "* $args *" " [states $qp] " }
# The attributes of the last ibv_modify_qp() to a state that succeeded, as a dict; {}: there is none.
proc attributes {qp state} {
	set found {}
	foreach row [rows call] {
		set text [dict get $row text]
		if {[dict get $row bad] || ![string match "ibv_modify_qp $qp \{*" $text] ||
		    [catch {lindex $text 2} attr] || [catch {dict get $attr qp_state} to]} { continue }
		if {$to eq $state} { set found $attr }
	}
	return $found
}
proc attribute {qp state name} {
	set all [attributes $qp $state]
	expr {[dict exists $all $name] ? [dict get $all $name] : ""}
}
proc ::grade::count {kind pattern} {
	set n 0
	foreach row [rows $kind] {
		if {[string match $pattern [dict get $row text]]} {
			incr n [expr {1 + ([dict exists $row again] ? [dict get $row again] : 0)}]
		}
	}
	return $n
}
proc called pattern { ::grade::count call $pattern }
proc completions {status {opcode *} {qp *}} {
	set n 0
	foreach row [rows completion] {
		lassign [dict get $row result] its of ;# no opcode: that of a failed one is not valid
		incr n [expr {[string match $status $its] && [string match $opcode $of] &&
			      [string match $qp [dict get $row name]]}]
	}
	return $n
}
proc packets pattern { ::grade::count packet $pattern }
# Calls that failed, as "call ERRNO".
proc failures {} {
	set failed {}
	foreach row [rows call] {
		if {[dict get $row bad]} {
			lappend failed "[lindex [split [dict get $row text]] 0] [dict get $row result]"
		}
	}
	return $failed
}
