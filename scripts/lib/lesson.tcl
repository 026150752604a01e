# SPDX-License-Identifier: MIT
# The words of lesson files, and of their conditions; 'help teaching' lists both.
# title, say, try, task and ask only store their arguments. A condition that does not hold stores the
# reason in wrong. last, failed and result describe the line that was typed; due has the lines that
# the step asks for.
namespace eval ::lesson {
	variable title {} steps {} last {} failed 0 result {} wrong {} due {} first {}
	proc no why { variable wrong; set wrong $why; return 0 }
	# A line, and each of the commands in it.
	proc commands line {
		set all [list $line]
		foreach part [split $line {;}] {
			append command $part
			if {[info complete $command]} {
				lappend all [string trim $command]
				unset command
			} else {
				append command {;}
			}
		}
		return $all
	}
	# Words of an enumeration may be typed as libibverbs has them, or in small letters with a hyphen.
	proc typed pattern {
		variable last; variable due
		foreach command [commands $last] {
			if {[string match -nocase [string map {_ -} $pattern] [string map {_ -} $command]]} { return 1 }
		}
		set line [lsearch -inline -glob $due $pattern]
		no [expr {$line eq "" ? "another command is due" : "it waits for '$line'"}]
	}
	proc did pattern {
		variable failed
		expr {[typed $pattern] && (!$failed || [no {the command failed}])}
	}
	proc fails pattern {
		variable failed
		expr {[typed $pattern] && ($failed || [no {it should have failed, but it succeeded}])}
	}
	proc equals {what is value} {
		expr {$is eq $value || [no "$what is '$is', and is to be '$value'"]}
	}
	# A poll, or 'wait wc', that has taken a completion with this entry, by itself or among others.
	proc took {key value} {
		variable last
		expr {[did [expr {[string match wait* $last] ? "wait wc*" : "*poll*"}]] && [gave $key $value]}
	}
	# The object is in the way of one of that name, which a line of the step makes.
	proc in_the_way {name {how {}}} {
		variable due; variable first
		if {[lsearch -glob $due "*-name $name*"] >= 0} { set first "destroy $name$how" }
	}
	# An address of an id, local or peer, has that port.
	proc has_port {name key port} {
		if {[string match *:$port [get $name $key]]} { return 1 }
		in_the_way $name
		no "the port of $name is to be $port: it has [get $name $key]"
	}
	# A receive is posted there.
	proc receives qp { expr {[get $qp recvs] > 0 || [no "$qp has no receive"]} }
	# A listener that answers by itself, with the address and key of that region.
	proc serves {name region} { expr {[is $name accepts 1] && [is $name share $region]} }
	# The CQ of a connection has a channel.
	proc wakes name {
		variable first
		if {[dict exists [get [get [get $name qp] send_cq]] channel]} { return 1 }
		set first "destroy $name -cascade"
		no "the CQ of $name has no channel: connect takes -events"
	}
	# The value of the line, or one of those in its list, has this entry.
	proc gave {key value} {
		variable result
		set is {}
		foreach one [expr {[string is list $result] ? [concat [list $result] $result] : ""}] {
			if {![catch {dict get $one $key} its]} { lappend is $its }
		}
		if {$is eq ""} { return [no "what the command gave has no '$key'"] }
		expr {$value in $is || [equals $key [lindex $is end] $value]}
	}
	# The command gave one thing, not a list of several.
	proc gave_one {} {
		variable result
		expr {![string match "\{*" $result] || [no "the command gave several, and is to give one"]}
	}
	# That text stands there in a region.
	proc holds {region off text} {
		expr {[has $region] &&
		      [equals "what is at $off of $region" [mem get $region $off [string length $text]] $text]}
	}
	# The result of the command is that text, or begins with it.
	proc saw text {
		variable result
		equals {what the command gave} [string range $result 0 [string length $text]-1] $text
	}
	# There is a number of 8 bytes at the beginning of a region.
	proc counts {region n} {
		if {![has $region]} { return 0 }
		if {[get $region len] < 8} { return [no "$region has fewer than 8 bytes"] }
		binary scan [mem get $region 0 8] w is
		equals "the number in $region" $is $n
	}
	# The variable of the learner has that value.
	proc names {variable value} {
		if {![info exists ::$variable]} { return [no "\$$variable is not set"] }
		equals \$$variable [set ::$variable] $value
	}
	# There is such an object; a region has so many bytes, or more.
	proc has {name {len 0}} {
		if {$name eq ""} { return [no "an object that the step needs is not there"] }
		if {![dict exists [show] $name]} { return [no "nothing is named $name"] }
		if {!$len || [get $name len] >= $len} { return 1 }
		in_the_way $name " -cascade"
		no "$name has [get $name len] bytes, and is to have $len"
	}
	proc is {name key value} {
		if {![has $name]} { return 0 }
		if {[equals "$key of $name" [get $name $key] $value]} { return 1 }
		in_the_way $name [expr {[dict exists [get $name] qp] && [get $name qp] ne {} ? { -cascade} : {}}]
		return 0
	}
	proc filled {region off} {
		expr {[has $region] && ([mem get $region $off 1] ne "\0" ||
					[no "$region has nothing at $off"])}
	}
	proc same {a from b to len} {
		expr {[filled $a $from] && ([mem get $a $from $len] eq [mem get $b $to $len] ||
					    [no "$a and $b differ at $from and $to"])}
	}
	proc clean text { variable meet; string trim [string map $meet $text] }
	# The points and hints of a step, from its options.
	proc worth options {
		set own [dict create -points 0 -hints {}]
		foreach {name value} $options {
			if {![dict exists $own $name]} {
				return -code error -level 2 "$name is none of a step: -points, -hints"
			}
			dict set own $name $value
		}
		if {![string is integer -strict [dict get $own -points]] || [dict get $own -points] < 0} {
			return -code error -level 2 "-points takes a number"
		}
		list [dict get $own -points] [lmap hint [dict get $own -hints] { clean $hint }]
	}
	proc step {text commands check options is_hidden} {
		variable steps
		set lines {}
		foreach line [split [clean $commands] \n] { lappend lines [string trim $line] }
		lappend steps [list 1 [clean $text] $lines [clean $check] {*}[worth $options] $is_hidden]
	}
	proc title text { variable title $text }
	proc say text { variable steps; lappend steps [list 0 [clean $text]] }
	proc try {text commands check args} { step $text $commands $check $args 0 }
	proc task {text commands check args} { step $text $commands $check $args 1 }
	proc ask {text choices answer args} {
		variable steps
		set n [expr {[llength $choices] / 2}]
		if {[llength $choices] % 2 || $n < 2} {
			return -code error "a question takes two or more choices, each with its reply"
		}
		if {![string is integer -strict $answer] || $answer < 1 || $answer > $n} {
			return -code error "the answer is '$answer', and the choices are 1 to $n"
		}
		set all {}
		foreach text_of $choices { lappend all [clean $text_of] }
		lappend steps [list 2 [clean $text] $all $answer {*}[worth $args] 0]
	}
}
