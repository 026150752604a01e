# SPDX-License-Identifier: MIT
# The words of the scripts of faults.tcl. The objects of these scripts are all called fault_..., so that
# nothing of the user's is touched and all of it can be destroyed.
namespace eval ::fault {
	# Two QPs fault_a and fault_b; buf is a's memory, window b's. ARGS: -type T,
	# -rights R (of both), -rtr OPTIONS (of a), -shift N (of a's rq_psn), -srq S (of b)
	proc pair args {
		set o [dict merge {-type RC -rights remote-write,remote-read,remote-atomic
			-rtr {} -shift 0 -cq {} -srq {} -access
			local-write,remote-write,remote-read,remote-atomic,mw-bind} $args]
		dict with o {}
		if {${-srq} eq {}} { pd -name fault_pd }
		reg 4096 -name fault_buf -pd fault_pd
		reg 4096 -name fault_window -pd fault_pd -access ${-access}
		foreach q {fault_a fault_b} cq [list ${-cq} {}] {
			if {$cq eq {}} { set cq [dict get [cq -name ${q}_cq] name] }
			set shared {}
			if {$q eq {fault_b} && ${-srq} ne {}} { set shared [list -srq ${-srq}] }
			qp create -type ${-type} -name $q -pd fault_pd -cq $cq {*}$shared
			if {${-type} eq {UD}} {
				modify-qp INIT $q -fill -qkey 73
			} else { modify-qp INIT $q -fill -access ${-rights} }
			set told($q) [qp-info $q]
		}
		foreach {me peer extra} [list fault_a fault_b ${-rtr} fault_b fault_a {}] {
			set p $told($peer)
			set psn [dict get $p psn]
			if {$me eq {fault_a}} { set psn [expr {($psn + ${-shift}) & 0xffffff}] }
			set to [dict create -dest-qpn [dict get $p qpn] -rq-psn $psn {*}$extra]
			if {${-type} eq {UD}} { set to {} }
			modify-qp RTR $me -peer $p -fill {*}$to
		}
		foreach me {fault_a fault_b} {
			set again {-timeout 10 -retry-cnt 2 -rnr-retry 1}
			if {${-type} ne {RC}} { set again {} }
			modify-qp RTS $me -fill {*}$again
		}
		return
	}
	# A QP in RESET: fault_a
	proc lone {} {
		pd -name fault_pd
		cq -name fault_cq
		qp create -name fault_a -pd fault_pd -cq fault_cq
	}
	# Options that lead to the window, or to another region
	proc there {{off 0} {region fault_window}} {
		list -remote [expr {[get $region addr] + $off}] -rkey [get $region rkey]
	}
	# A key that no region has
	proc wrong {key region} { expr {[get $region $key] ^ 0x5500} }
	# Of the next completion
	proc status qp { dict get [poll -qp $qp -within 60s] status }
	# Of the first completion, or "-": that of this end may come after the other end's
	proc first qp {
		for {set i 0} {$i < 10} {incr i} {
			set wcs [poll -all -qp $qp]
			if {[llength $wcs]} { return [dict get [lindex $wcs 0] status] }
			sleep 5
		}
		return -
	}
	# The first completion of each end, after the post of the first
	proc ends {{here fault_a} {there fault_b}} { list [status $here] [first $there] }
	# The errno or event of a call that is refused
	proc refused command {
		if {[catch {uplevel 1 $command} said how]} {
			return [list [lindex [dict get $how -errorcode] end] -]
		}
		list {no error} -
	}
}
