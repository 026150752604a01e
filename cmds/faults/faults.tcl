# SPDX-License-Identifier: MIT
# The faults that fault run can provoke: a Tcl dict, of which this heading is no part. Of each fault:
#   what     in one line
#   sees     what each end sees: the status of the first completion, the errno or event of the call
#            that is refused, "-" for nothing. By volume 1, 11.6.2 of the specification.
#   rxe      the same of the kernel's soft-RoCE, where it differs
#   because  why, in one line
#   needs    a word of require, where not every device can do it
#   does     the script that makes it happen, with the procedures of fault_procs.tcl. It returns what
#            both ends saw.

bad-rkey {
	what {an RDMA WRITE with a wrong rkey}
	sees {REM_ACCESS_ERR -}
	because {the peer's device finds no region with that key; its QP goes to ERR without a completion}
	does {
		pair
		set key [wrong rkey fault_window]
		post write fault_buf -len 8 -remote [get fault_window addr] -rkey $key -qp fault_a
		ends
	}
}
past-end {
	what {an RDMA WRITE over the end of the peer's region}
	sees {REM_ACCESS_ERR -}
	because {address and length must lie inside of the region}
	does {
		pair
		post write fault_buf -len 8 {*}[there 4092] -qp fault_a
		ends
	}
}
stale-mr {
	what {an RDMA WRITE to a region that is gone}
	sees {REM_ACCESS_ERR -}
	because {a key dies with its region, at once}
	does {
		pair
		set to [there]
		dereg fault_window
		post write fault_buf -len 8 {*}$to -qp fault_a
		ends
	}
}
no-remote-write {
	what {an RDMA WRITE where only READ is allowed}
	sees {REM_ACCESS_ERR -}
	because {the region has no REMOTE_WRITE}
	does {
		pair -access remote-read
		post write fault_buf -len 8 {*}[there] -qp fault_a
		ends
	}
}
no-remote-read {
	what {an RDMA READ where only WRITE is allowed}
	sees {REM_ACCESS_ERR -}
	because {the region has no REMOTE_READ}
	does {
		pair -access local-write,remote-write
		post read fault_buf -len 8 {*}[there] -qp fault_a
		ends
	}
}
no-remote-atomic {
	what {an atomic where none is allowed}
	sees {REM_ACCESS_ERR -}
	because {the region has no REMOTE_ATOMIC}
	needs atomics
	does {
		pair -access local-write,remote-write
		post fetch-add fault_buf -add 1 {*}[there] -qp fault_a
		ends
	}
}
other-pd {
	what {an RDMA WRITE to a region of another protection domain}
	sees {REM_ACCESS_ERR -}
	because {a QP reaches the regions of its own PD only}
	does {
		pair
		pd -name fault_pd2
		reg 64 -name fault_foreign -pd fault_pd2
		post write fault_buf -len 8 {*}[there 0 fault_foreign] -qp fault_a
		ends
	}
}
bad-lkey {
	what {a send from memory with a wrong lkey}
	sees {LOC_PROT_ERR -}
	rxe {LOC_QP_OP_ERR -}
	because {the requester's own device finds it and sends nothing}
	does {
		pair
		post write -sge [get fault_buf addr]:8:[wrong lkey fault_buf] {*}[there] -qp fault_a
		ends
	}
}
read-only-sink {
	what {an RDMA READ into memory without LOCAL_WRITE}
	sees {LOC_PROT_ERR -}
	because {the device must write what was read}
	does {
		pair
		reg 64 -name fault_fixed -pd fault_pd -access remote-read
		post read fault_fixed -len 8 {*}[there] -qp fault_a
		ends
	}
}
recv-too-small {
	what {a message longer than the RECV}
	sees {REM_INV_REQ_ERR LOC_LEN_ERR}
	rxe {REM_OP_ERR LOC_QP_OP_ERR}
	because {both ends hear of it; both QPs go to ERR}
	does {
		pair
		post recv fault_window -len 4 -qp fault_b
		post send fault_buf -len 8 -qp fault_a
		ends
	}
}
recv-bad-lkey {
	what {a RECV with a wrong lkey}
	sees {REM_OP_ERR LOC_PROT_ERR}
	rxe {REM_OP_ERR LOC_QP_OP_ERR}
	because {the peer's own mistake; the sender only hears that it could not be done}
	does {
		pair
		post recv -sge [get fault_window addr]:64:[wrong lkey fault_window] -qp fault_b
		post send fault_buf -len 8 -qp fault_a
		ends
	}
}
recv-dereg {
	what {a region that is deregistered under a RECV}
	sees {REM_OP_ERR LOC_PROT_ERR}
	rxe {REM_OP_ERR LOC_QP_OP_ERR}
	because {nothing keeps a region for the requests that are posted: its owner must wait for them}
	does {
		pair
		post recv fault_window -len 64 -qp fault_b
		dereg fault_window
		post send fault_buf -len 8 -qp fault_a
		ends
	}
}
send-dereg {
	what {a region that is deregistered while its WRITE waits}
	sees {LOC_PROT_ERR -}
	rxe {LOC_QP_OP_ERR -}
	because {the queue is drained (SQD), so the request waits; in RTS its key is looked up, and gone}
	does {
		pair
		modify-qp SQD fault_a -en-sqd-async-notify 1
		wait async SQ_DRAINED -on fault_a
		set to [there]
		post write fault_buf -len 8 {*}$to -qp fault_a
		dereg fault_buf
		modify-qp RTS fault_a
		post write fault_window -len 8 {*}$to -qp fault_a
		ends
	}
}
no-receive {
	what {a SEND without a RECV}
	sees {RNR_RETRY_EXC_ERR -}
	because {the peer asks to wait; after rnr_retry times it is an error}
	does {
		pair
		post send fault_buf -len 8 -qp fault_a
		ends
	}
}
imm-no-receive {
	what {an RDMA WRITE with immediate without a RECV}
	sees {RNR_RETRY_EXC_ERR -}
	because {the immediate data needs a RECV, though no buffer}
	does {
		pair
		post write-imm fault_buf -len 8 -imm 1 {*}[there] -qp fault_a
		ends
	}
}
peer-in-error {
	what {a message to a QP that is in ERR}
	sees {RETRY_EXC_ERR -}
	because {a QP in ERR does not answer}
	does {
		pair
		modify-qp ERR fault_b
		post send fault_buf -len 8 -qp fault_a
		ends
	}
}
peer-gone {
	what {a message to a QP that was destroyed}
	sees {RETRY_EXC_ERR -}
	because {nobody answers}
	does {
		pair
		destroy fault_b
		post write fault_buf -len 8 {*}[there] -qp fault_a
		list [status fault_a] -
	}
}
peer-process-ends {
	what {a message to a QP whose process has ended}
	sees {RETRY_EXC_ERR -}
	because {its QP goes with it, without a word: only a connection manager would tell}
	does {
		lone
		reg 64 -name fault_buf -pd fault_pd
		modify-qp INIT fault_a -fill
		peer fault_peer
		@fault_peer qp create -name fault_b
		@fault_peer modify-qp INIT fault_b -fill
		@fault_peer modify-qp RTR fault_b -peer [qp-info fault_a] -fill
		modify-qp RTR fault_a -peer [@fault_peer qp-info fault_b] -fill
		modify-qp RTS fault_a -fill -timeout 10 -retry-cnt 2 -rnr-retry 1
		destroy fault_peer
		post send fault_buf -len 8 -qp fault_a
		list [status fault_a] -
	}
}
wrong-qpn {
	what {a wrong dest_qp_num}
	sees {RETRY_EXC_ERR -}
	because {nobody has that number, nobody answers}
	does {
		pair -rtr {-dest-qpn 0x3ffff1}
		post write fault_buf -len 8 {*}[there] -qp fault_a
		ends
	}
}
wrong-psn {
	what {an sq_psn that is not the peer's rq_psn}
	sees {RETRY_EXC_ERR -}
	because {packets from the future are refused, again and again}
	does {
		pair -shift -77
		post send fault_buf -len 8 -qp fault_b
		ends fault_b fault_a
	}
}
wrong-mtu {
	what {packets that are larger than the peer's path MTU}
	sees {REM_INV_REQ_ERR -}
	because {both ends are told a path MTU, and nothing compares them; short messages pass}
	does {
		pair -rtr {-mtu 256}
		post write fault_buf -len 1024 {*}[there] -qp fault_b
		ends fault_b fault_a
	}
}
no-responder-resources {
	what {a READ to a QP that answers none}
	sees {REM_INV_REQ_ERR -}
	because {max_dest_rd_atomic of the peer is 0}
	does {
		pair -rtr {-max-dest-rd-atomic 0}
		post read fault_buf -len 8 {*}[there] -qp fault_b
		ends fault_b fault_a
	}
}
qp-access {
	what {an RDMA WRITE that the peer's QP does not allow}
	sees {REM_INV_REQ_ERR -}
	because {region and QP must both allow it; the QP says it is no request for it}
	does {
		pair -rights remote-read
		post write fault_buf -len 8 {*}[there] -qp fault_a
		ends
	}
}
unaligned-atomic {
	what {an atomic at an address that is no multiple of 8}
	sees {REM_INV_REQ_ERR -}
	rxe {EINVAL -}
	because {the 8 bytes must be aligned}
	needs atomics
	does {
		pair
		set seen [refused {post fetch-add fault_buf -add 1 {*}[there 4] -qp fault_a -force}]
		if {[lindex $seen 0] eq {no error}} { ends } else { set seen }
	}
}
uc-bad-rkey {
	what {the same wrong rkey, on UC}
	sees {SUCCESS -}
	because {nobody answers on UC: the sender never knows}
	does {
		pair -type UC -rights remote-write
		post write fault_buf -len 8 -remote 0 -rkey 1 -qp fault_a
		ends
	}
}
wrong-qkey {
	what {a datagram with a wrong Q_Key}
	sees {SUCCESS -}
	because {dropped in silence, and counted}
	needs ud
	does {
		pair -type UD
		post recv fault_window -len 104 -qp fault_b
		ah -to [qp-info fault_b] -name fault_ah -pd fault_pd
		post send fault_buf -len 8 -ah fault_ah -qkey 99 -qp fault_a
		ends
	}
}
closed-window {
	what {a memory window after its key was invalidated}
	sees {REM_ACCESS_ERR -}
	because {the owner closes it, and the key is dead}
	needs mw-type2
	does {
		pair
		mw -type 2 -name fault_mw -pd fault_pd
		post bind-mw fault_mw fault_window -len 64 -access remote-write -qp fault_b
		poll -qp fault_b
		set key [get fault_mw rkey]
		post local-inv fault_mw -qp fault_b
		poll -qp fault_b
		post write fault_buf -len 8 -remote [get fault_window addr] -rkey $key -qp fault_a
		ends
	}
}
sq-drain {
	what {a send while the send queue is drained (SQD)}
	sees {SQ_DRAINED -}
	because {an asynchronous event when all before it is done; the send itself waits for RTS}
	does {
		pair
		modify-qp SQD fault_a -en-sqd-async-notify 1
		set event [dict get [wait async SQ_DRAINED -on fault_a] event]
		post send fault_buf -len 8 -qp fault_a
		if {[first fault_a] ne {-}} { set event {sent in SQD} }
		list $event [first fault_b]
	}
}
srq-limit {
	what {messages that nearly empty a shared receive queue}
	sees {SUCCESS SRQ_LIMIT_REACHED}
	because {an asynchronous event, once: post more, and set the limit again}
	needs srq
	does {
		pd -name fault_pd
		srq -max-wr 8 -pd fault_pd -name fault_srq
		pair -srq fault_srq
		post recv fault_window -len 64 -srq fault_srq -repeat 2
		srq modify fault_srq -limit 2
		post send fault_buf -len 8 -qp fault_a
		list [status fault_a] [dict get [wait async SRQ_LIMIT_REACHED -on fault_srq] event]
	}
}
flush {
	what {requests in a QP that goes to ERR}
	sees {WR_FLUSH_ERR -}
	because {what was not done is given back undone}
	does {
		pair
		post recv fault_buf -qp fault_a
		modify-qp ERR fault_a
		post send fault_buf -len 8 -qp fault_a
		ends
	}
}
cq-overrun {
	what {more completions than the CQ has room for}
	sees {CQ_ERR -}
	because {an asynchronous event; completions are lost, QPs die}
	does {
		cq -depth 1 -name fault_tiny
		pair -cq fault_tiny
		set n [expr {[get fault_tiny cqe] + 1}]
		post write fault_buf -len 1 {*}[there] -qp fault_a -repeat $n
		list [dict get [wait async CQ_ERR -on fault_tiny] event] [first fault_b]
	}
}
full-queue {
	what {more work requests than the send queue holds}
	sees {ENOMEM -}
	because {the call posts what fits, and says which did not}
	does {
		pair
		refused {
			post chain {
				post write -remote 0 -rkey 0 -unsignaled -repeat 20000 -qp fault_a
				post send -qp fault_a
			}
		}
	}
}
too-long-inline {
	what {inline data beyond max_inline_data}
	sees {EINVAL -}
	because {refused when posting (hardware may say ENOMEM)}
	does {
		pair
		refused {post send fault_buf -len 4096 -inline -qp fault_a -force}
	}
}
wrong-gid {
	what {a dgid that the sgid cannot reach: IPv6 from an IPv4 address}
	sees {EINVAL -}
	because {both must be of one kind; one that nobody has ends in ETIMEDOUT here or RETRY_EXC_ERR later}
	does {
		lone
		modify-qp INIT fault_a -fill
		set p [qp-info fault_a]
		set own [dict get $p gid_index]
		refused {modify-qp RTR fault_a -peer $p -fill -dgid 2001:db8::1 -sgid-index $own -force}
	}
}
empty-gid {
	what {an sgid_index where the GID table is empty}
	sees {ENODATA -}
	because {the QP names its own address by an index into a table that changes with the addresses of the interface}
	does {
		lone
		modify-qp INIT fault_a -fill
		set empty [expr {[dict get [lindex [gids] end] index] + 1}]
		set p [qp-info fault_a]
		refused {modify-qp RTR fault_a -peer $p -fill -sgid-index $empty -force}
	}
}
reset-to-rts {
	what {a QP straight from RESET to RTS}
	sees {EINVAL -}
	because {no such transition}
	does {
		lone
		refused {modify-qp RTS fault_a -force}
	}
}
send-in-init {
	what {a send before the QP is in RTS}
	sees {EINVAL -}
	because {RECVs may be posted in INIT, sends in RTS}
	does {
		lone
		modify-qp INIT fault_a -fill
		refused {post send -qp fault_a -force}
	}
}
destroy-in-use {
	what {a CQ that a QP still uses}
	sees {EBUSY -}
	because {users go first}
	does {
		pair
		refused {destroy fault_a_cq}
	}
}
unacked-event {
	what {an id with an event that nobody acknowledged}
	sees {EBUSY -}
	because {rdma_destroy_id would wait for ever, so this shell refuses to call it}
	does {
		cm create -hold -name fault_id
		cm resolve-addr fault_id [dict get [device] address] 7
		set said [refused {destroy fault_id}]
		cm ack fault_id
		set said
	}
}
nobody-listens {
	what {a connection to a port where nobody listens}
	sees {REJECTED -}
	because {reason 8, INVALID_SERVICE_ID: the peer's connection manager says so}
	does {
		refused {connect [dict get [device] address] 7 -name fault_id}
	}
}
