# shellcheck shell=bash
# SPDX-License-Identifier: MIT
#
# "A && B || die" is intended, and the variables are shared with rxe-lab.
# shellcheck disable=SC2015,SC2034,SC2154
#
# Machines that stay up.  `up' leaves a keeper behind: a process of this program that owns the
# machines of a job, whose directory has
#	kind		run, pair or bridge
#	keeper		its process number; locked until it has removed the directory and ended
#	ordersN		a FIFO, read by machine N: start ID, kill ID
#	events		a FIFO, read by the keeper: up N, alive N, ended N ID from the machines; down
#	busy		locked while a command uses the machines
#	jobs/ID/	the directory of such a command: cmdN confN inN outN errN rcN failN upN readyN
#			as for any job, and endedN, a FIFO that the keeper writes to
# $cache/up/KIND-NAME is a link to the directory.  If a machine ends or is silent for a while, the
# machines are started again, and the commands that wait for them are told.

silence=40	# seconds of silence after which a machine counts as hanging; it reports every 3
patience=100	# the same, before it is up

# ------------------------------------------------------------------- the keeper --

# up_directory KIND: sets up, the directory of the machines called $use, or fails
up_directory() {
	up=$(realpath -qe -- "$cache/up/$1-$use") && [ -O "$up" ] && ! flock -n "$up/lock" true
}

cmd_up() {	# KIND NAME
	local log said='' answer
	[ $# = 2 ] || wrong_usage "up: run, pair or bridge, and a name"
	case $1 in run|pair|bridge) ;; *) wrong_usage "up: no kind $1 of machines: run, pair, bridge" ;; esac
	use=$2
	[[ $use =~ ^[A-Za-z0-9._-]+$ ]] || wrong_usage "up: the name has letters, digits, . _ - : $use"
	[ -z "$pcap$link$netem$setup_text" ] ||
		wrong_usage "up: -p, -l are not for machines that stay up; -s, --netem are for commands in them"
	! up_directory "$1" || die "$use is up, as $1: $me down $use"
	unable_status=77
	ready "$1"
	unable_status=125
	mkdir -p "$cache/up" && log=$(mktemp "$cache/up/log.XXXXXX") || die "cannot write to $cache"
	namespaces=()
	[ "$1" != bridge ] || namespaces=(unshare "${user_namespace[@]}" --net --)
	# the keeper answers on descriptor 3: ready, or the end of the file
	exec {answer}< <(RXE_LAB_CACHE=$cache exec setsid "${namespaces[@]}" \
		"$self" --task keep "${arguments[@]}" 3>&1 > "$log" 2>&1 < /dev/null)
	read -r said <&"$answer"
	[ "$said" = ready ] || cat "$log" >&2
	rm -f "$log"
	[ "$said" = ready ] || die "$use is not up"
	for _ in 1 2 3; do
		wire_works "$1" && return
	done
	cmd_down "$use" "$1"
	die "$use: the machines are up, but nothing passes between them"
}

# The first command in new machines. Packets that arrive before a card is ready have been seen to
# make it deaf until its port is recreated, which is done after each command.
wire_works() {	# KIND
	local one='busybox ping -q -c 1 -w 10 10.0.0.1' two='busybox ping -q -c 1 -w 10 10.0.0.2'
	case $1 in
	run) "$self" run -n -U "$use" "$two" ;;
	pair) "$self" pair -d 0 -U "$use" "$two" "$one" ;;
	bridge) "$self" bridge -n -U "$use" "$one" "$two" ;;
	esac > /dev/null 2>&1
}

cmd_down() {	# NAME [KIND...]
	local kind ending
	[ $# -ge 1 ] || wrong_usage "down: a name"
	use=$1
	shift
	[ $# -gt 0 ] || set -- run pair bridge
	for kind; do
		# opened before the keeper is told to end, because it then removes its directory
		if up_directory "$kind" && { exec {ending}< "$up/keeper"; } 2> /dev/null; then
			[ ! -p "$up/events" ] || echo down 1<> "$up/events"
			flock -w 50 "$ending" || die "$use ($kind) does not end"
			exec {ending}<&-
		fi
		rm -f "$cache/up/$kind-$use"
	done
}

keep() {	# KIND NAME
	local last=$SECONDS
	kind=$1 use=$2 starting=2	# how often the machines may be started until they have been up
	find_build
	choose_accel
	start_job
	echo "$kind" > "$job/kind"
	exec 4> "$job/keeper"
	flock 4
	echo $$ >&4
	mkdir "$job/jobs"
	mkfifo "$job/events"
	exec 6<> "$job/events"
	[ "$kind" != bridge ] || make_tap
	boot
	while :; do
		listen_events
		! read -t 0 -u 6 || continue # read all that they have said before judging their silence
		[ -z "$(find "$job/jobs" -mindepth 1 -print -quit)" ] || last=$SECONDS
		[ $((SECONDS - last)) -lt "${limit_given:-1800}" ] || exit 0
		check_machines
	done
}

# boot: starts all machines, also again, on the network of the kind
boot() {
	vms=() heard=() ready_nodes=()
	case $kind in
	run)
		link='' network=()
		one_machine_network
		boot_machine 1 ;;
	pair)
		link=eth
		rm -f "$job"/s[12]
		datagrams "$job/s1" "$job/s2"
		nic n "$first_mac"
		boot_machine 1
		datagrams "$job/s2" "$job/s1"
		nic n "$second_mac"
		boot_machine 2 ;;
	bridge)
		link=eth
		tap
		boot_machine 1 ;;
	esac
}

boot_machine() {	# NODE
	write_conf "$1" jobs 0 0
	machine_args "$1"
	rm -f "$job/orders$1" "$job/rc$1" "$job/fail$1" "$job/never$1" "$job/monitor$1".*
	mkfifo "$job/orders$1" "$job/monitor$1.in" "$job/monitor$1.out"
	qemu_args+=(-chardev "pipe,id=monitor,path=${job//,/,,}/monitor$1" -mon monitor)
	vport virtserialport 1 "pipe,id=p1,path=${job//,/,,}/orders$1"
	vport virtserialport 2 "file,id=p2,path=${job//,/,,}/events"
	start_qemu "$1" < /dev/null > /dev/null
	vms[$1]=$vm
	heard[$1]=$SECONDS
}

# handles one event, or returns after 5 seconds without any
listen_events() {
	local what='' node='' id=''
	read -rt 5 -u 6 what node id
	[ -z "$node" ] || heard[$node]=$SECONDS
	case $what in
	up)
		ready_nodes[$node]=1
		[ ${#ready_nodes[@]} = ${#vms[@]} ] || return
		ln -sfn "$job" "$cache/up/$kind-$use"
		[ $starting = 0 ] || echo ready >&3
		starting=0
		exec 3>&- >> "$job/log" 2>&1 ;;
	ended)
		tell_ended "$job/jobs/$id" "$node" ;;
	down)
		exit 0 ;;
	esac
}

tell_ended() {	# DIRECTORY NODE
	# there may be no reader any more, and > would wait for one
	[ ! -p "$1/ended$2" ] || echo 1<> "$1/ended$2"
}

# look_into NODE: prints what a hanging machine is doing: the registers of its processors. An NMI also
# makes its kernel print a stack trace on the console.
look_into() {
	local line
	printf 'info registers -a\nnmi\n' 1<> "$job/monitor$1.in"
	while read -rt 3 line; do
		case $line in *IP=*|*SP=*) echo "$line" ;; esac
	done <> "$job/monitor$1.out"
}

check_machines() {
	local node dir why='' quiet report=''
	for node in "${!vms[@]}"; do
		quiet=$silence
		[ -n "${ready_nodes[node]-}" ] || quiet=$patience
		if ! kill -0 "${vms[node]}" 2> /dev/null; then
			why="machine $node ended"
		elif [ $((SECONDS - heard[node])) -ge "$quiet" ]; then
			why="machine $node stood still for $quiet s"
			report=$(look_into "$node")
		fi
	done
	[ -n "$why" ] || return
	report+=$(tail -n 40 "$job"/console* "$job"/qemu*.err)
	echo "$report"
	[ $starting != 1 ] || die "$why"
	starting=$((starting ? starting - 1 : 0))
	echo "$me: $why"
	kill -KILL "${vms[@]}" 2> /dev/null
	wait "${vms[@]}" 2> /dev/null
	for dir in "$job"/jobs/*/; do
		for node in "${!vms[@]}"; do
			[ -e "$dir/rc$node" ] ||
				printf '%s\n' "$why, and is started again" "$report" > "$dir/fail$node"
			tell_ended "$dir" "$node"
		done
	done
	boot
}

# ------------------------------------------------------------- a command in them --

# served KIND: true if the machines called $use are up and support the options; sets up
served() {
	[ -n "$use" ] || return
	if [ -n "$own_machine" ]; then
		[ -z "$use_given" ] || wrong_usage "-$own_machine is not for machines that are up"
		return 1
	fi
	[ -z "$(hidden_directory)" ] && up_directory "$1" && return
	[ -z "$use_given" ] || die "no machines of $1 called $use that can do this: $me up $1 $use"
	return 1
}

# begin KIND: starts a job, in its own machines or in machines that are up
begin() {
	if served "$1"; then
		exec 5> "$up/busy"
		flock 5
		job=$(mktemp -d "$up/jobs/XXXXXX") || die "cannot write to $up/jobs"
		guest_job=/run/rxe-lab/job/jobs/${job##*/}
		[ -z "$setup_text" ] || printf '%s\n' "$setup_text" > "$job/setup"
	else
		up=''
		ready "$1"
		start_job
	fi
}

# order NODE WORD: does not wait for a reader
order() {
	echo "$2 ${job##*/}" 1<> "$up/orders$1"
}

# start_command NODE STDIN(0|1) WATCH(0|1) [PREFIX]: like start_machine, in a machine that is up
start_command() {
	local copy=(cat)
	[ -z "${4-}" ] || copy=(sed -u "s/^/$4/")
	write_conf "$1" pipes "$2" "$3"
	: > "$job/out$1"
	: > "$job/err$1"
	mkfifo "$job/ended$1"
	# all of the input first, because a machine cannot wait for a file to grow
	[ "$2" = 0 ] || cat <&9 > "$job/in$1"
	# this process ends when the command ends
	# shellcheck disable=SC2016	# for that shell
	helper bash -c 'read -r <> "$1"' ended "$job/ended$1"
	vm=$helper
	follow "$job/out$1" "${copy[@]}"
	follow "$job/err$1" "${copy[@]}" >&2
	order "$1" start
}

# follow FILE COMMAND...: passes on what is written to FILE, until $vm has ended and all is read
follow() {
	# shellcheck disable=SC2016	# for that shell
	helper bash -c 'tail -c +1 -f -s 0.05 --pid="$1" "$2" 2> /dev/null | { shift 2; exec "$@"; }' \
		follow "$vm" "$@" < /dev/null
	outputs+=("$helper")
}

# the end of a command in machines that are up; a command that is still running is killed
leave_machines() {
	local node
	for node in 1 2; do
		[ ! -e "$job/conf$node" ] || [ -e "$job/rc$node" ] || order "$node" kill
	done
	rm -rf "$job"
}
