# shellcheck shell=bash
# SPDX-License-Identifier: MIT
#
# "A && B || die" is intended, and the variables are shared with rxe-lab.
# shellcheck disable=SC2015,SC2034,SC2154
#
# A job: a directory, the machines and the helpers that belong to it.  Every
# process is started with ${dying[@]}, so that the kernel kills it when this one
# ends for any reason.  Every process holds a lock on the directory, so that the
# lock alone tells whether a job is over.

dying=(setpriv --pdeathsig KILL --)
pids=()		# of all processes of the job
outputs=()	# of the processes that copy a machine's output
job=''
job_is_ours=1
guest_job=/run/rxe-lab/job	# its directory in the machine
terminal=''	# its settings, if they were changed

# The lock is taken before the file gets the name by which other jobs find it.
start_job() {
	local tmp=${TMPDIR:-/tmp}
	# QEMU's unix sockets are in it, and their paths must be short
	[ ${#tmp} -le 60 ] && [ -w "$tmp" ] || tmp=/tmp
	sweep "$tmp"
	job=$(mktemp -d "$tmp/rxe-lab.XXXXXX") || die "cannot write to $tmp"
	exec 7> "$job/new-lock"
	flock 7
	mv "$job/new-lock" "$job/lock"
	[ -z "$setup_text" ] || printf '%s\n' "$setup_text" > "$job/setup"
	[ -z "$siw_module" ] || cp "$siw_module" "$job/siw.ko" || die "cannot write to $job"
}

# Removes the directories of jobs that were killed before they could do so.
sweep() {	# DIR
	local dir
	for dir in "$1"/rxe-lab.??????; do
		[ -O "$dir" ] && [ -d "$dir" ] && [ ! -L "$dir" ] || continue
		if [ -e "$dir/lock" ]; then
			flock -n "$dir/lock" true && rm -rf "$dir"
		elif [ -n "$(find "$dir" -maxdepth 0 -mmin +5)" ]; then
			rm -rf "$dir"
		fi
	done
}

# Cleans up at every end: normal, by a signal or after an error.
end_job() {
	trap '' EXIT INT TERM HUP
	if [ ${#pids[@]} -gt 0 ]; then
		kill -KILL "${pids[@]}"
		wait "${pids[@]}"
	fi 2> /dev/null
	[ -z "$terminal" ] || stty "$terminal" <&9
	[ -n "$job" ] && [ -n "$job_is_ours" ] || return
	if [ -n "$up" ]; then
		leave_machines
		return
	fi
	# the children of these processes die with them, but not at once
	if exec 7>&-; then flock -w 10 "$job/lock" true; fi
	if [ -n "${RXE_LAB_KEEP-}" ]; then
		echo "$me: kept $job" >&2
	else
		rm -rf "$job"
	fi
}

catch_signals() {
	trap end_job EXIT
	trap 'exit 129' HUP
	trap 'exit 130' INT
	trap 'exit 143' TERM
}

# in_background TASK [ARG...]: runs a task of this program in another process,
# so that signals are handled while it runs
in_background() {
	local status task
	RXE_LAB_CACHE=$cache "${dying[@]}" "$self" --task "$@" &
	task=$!
	pids+=("$task")
	wait "$task"
	status=$?
	[ $status != 77 ] || exit "$unable_status"
	[ $status = 0 ] || exit 125
}

# ------------------------------------------------------------------- the clock --

start_clock() {
	[ "$limit" != 0 ] || limit=infinity
	"${dying[@]}" sleep "$limit" > /dev/null 2>&1 &
	clock=$!
	pids+=("$clock")
}

# wait_for PID...: waits until one of them ends; sets ended, returns its status
wait_for() {
	local status
	wait -n -p ended "$@" "$clock"
	status=$?
	[ "${ended-}" != "$clock" ] && return "$status"
	echo "$me: no end after $limit s: killed" >&2
	exit 124
}

# Uses KVM if a machine starts with it: some hosts have a /dev/kvm that cannot run a stock kernel,
# or not in useful time. It is tried once; the result is stored with the kernel.
choose_accel() {
	local tried
	[ -z "$accel" ] || return
	accel=tcg,thread=multi
	[ -r /dev/kvm ] && [ -w /dev/kvm ] || return
	tried=$build/accel-$(uname -nr | tr -c 'A-Za-z0-9.\n' -)
	if [ ! -e "$tried" ]; then
		if RXE_LAB_ACCEL=kvm RXE_LAB_CPU=host RXE_LAB_UP='' \
			"$self" run -n -t 8 -D none -l dummy true < /dev/null > /dev/null 2>&1; then
			echo kvm
		else
			echo "$accel"
		fi > "$tried.$$"
		mv -f "$tried.$$" "$tried" 2> /dev/null
		say "accelerator: $(< "$tried")"
	fi
	accel=$(< "$tried")
	[ "$accel" != kvm ] || [ -n "${RXE_LAB_CPU-}" ] || cpu=host
}

# ------------------------------------------------------------------- a machine --

# Writes the command that the machine runs: the text for bash, with this
# environment and directory.
write_command() {	# NODE TEXT
	# shellcheck disable=SC2016	# for the bash in there
	{
		(
			# these would be wrong in the machine
			unset BASH_ENV ENV SHLVL OLDPWD TMPDIR XDG_RUNTIME_DIR
			unset "${!RXE_LAB_@}"
			export -p
		)
		printf 'export LAB=1 LAB_NODE=%s LAB_DIR=%s\n' "$1" "$guest_job"
		printf 'export PATH=$PATH:/usr/sbin:/sbin:/run/rxe-lab/bin\n'
		printf 'cd %q 2> /dev/null || { echo "rxe-lab: no %q in the machine: this is /" >&2; cd /; }\n' \
			"$PWD" "$PWD"
		printf 'ulimit -l unlimited\nulimit -c unlimited\n'
		printf '%s\n' "$2"
	} > "$job/cmd$1"
}

# prints the current directory if it is below /run or /dev/shm, of which the machine has its own
hidden_directory() {
	case $PWD in /run/*|/dev/shm/*) echo "$PWD" ;; esac
}

write_conf() {	# NODE IO STDIN WATCH
	local i rows=24 cols=80
	[ "$2" != tty ] || read -r rows cols < <(stty size <&9)
	{
		printf '%s=%q\n' HOST "h$1" LINK "$link" DEV "$device" MTU "$mtu" IO "$2" STDIN "$3" \
			WATCH "$4" ROWS "$rows" COLS "$cols" HIDDEN "$(hidden_directory)" SHARES "${#shares[@]}" \
			NETEM "$netem"
		for i in "${!shares[@]}"; do printf 'SHARE_%s=%q\n' "$i" "${shares[i]}"; done
	} > "$job/conf$1"
}

# share ID TAG PATH [MORE]: a directory of the host for the machine
share() {
	qemu_args+=(-fsdev "local,id=$1,path=${3//,/,,},security_model=none,multidevs=remap${4-}"
		-device "virtio-9p-device,fsdev=$1,mount_tag=$2")
}

# Without HPET and PM timer the machine can measure its TSC only against the
# PIT.  On a busy host this sometimes fails, and the machine does not start.
# Under TCG its TSC is that of the host; its rate is half the BogoMIPS.
tsc_rate() {
	[ "$arch" != x86_64 ] ||
		awk -F: '$1 ~ /^bogomips/ {printf "tsc_early_khz=%d", $2 * 500; exit}' /proc/cpuinfo
}

# norandmaps: without KVM, QEMU finds its translation of a program's code by virtual address.  At
# random addresses the code is translated again for each start of the program, which doubles the
# cost.  The page then has thousands of translations, and QEMU walks all of them for each store into
# it: a kernel that cleared such a page hung for over 40 s.
# An NMI, which keep.sh sends to a hanging machine, causes a panic with a stack trace.
kernel_line() {	# NODE
	echo "console=$console quiet panic=-1 net.ifnames=0 lab.node=$1" \
		"cryptomgr.notests rodata=off mitigations=off nokaslr norandmaps audit=0" \
		"tsc=reliable no_timer_check nohz=off rcupdate.rcu_expedited=1 random.trust_cpu=on" \
		"unknown_nmi_panic sysctl.kernel.panic_on_unrecovered_nmi=1 $(tsc_rate) ${kernel_params[*]-}"
}

# sets qemu_args, except for standard input, output and error
machine_args() {	# NODE
	local i
	qemu_args=(-accel "$accel" -cpu "$cpu" "${machine[@]}" -m "$memory" -smp "$cpus"
		-nodefaults -no-user-config -display none -no-reboot -monitor none
		-kernel "$build/vmlinux" -initrd "$build/initrd" -append "$(kernel_line "$1")"
		-serial "file:$job/console$1"
		-device "virtio-serial-device,max_ports=4")
	share host host / ,readonly=on
	share lab lab "$job"
	for i in "${!shares[@]}"; do share "s$i" "share$i" "${shares[i]}"; done
	qemu_args+=("${network[@]}")
}

# vport DEVICE NR CHARDEV: one end of a virtio-serial port
vport() {
	qemu_args+=(-chardev "$3" -device "$1,nr=$2,chardev=p$2")
}

# start_qemu NODE: runs QEMU with this shell's standard input; sets vm
start_qemu() {
	qemu_args+=("${qemu_params[@]}")
	[ -z "${RXE_LAB_VERBOSE-}" ] || printf '%q ' "$qemu" "${qemu_args[@]}" > "$job/qemu$1.cmd"
	"${dying[@]}" "$qemu" "${qemu_args[@]}" <&0 2> "$job/qemu$1.err" &
	vm=$!
	pids+=("$vm")
	# A machine whose command has ended may fail to power off (seen on busy hosts). The status
	# of the command is known by then, so this helper kills the machine 5 s later.
	# The helper sleeps by reading a FIFO without a writer, so that it leaves no child behind.
	mkfifo "$job/never$1"
	# shellcheck disable=SC2016	# for that shell
	helper bash -c 'exec 3<> "$1"
		until [ -s "$2" ]; do kill -0 "$3" || exit; read -rt 0.5 -u 3; done
		read -rt 5 -u 3; kill -KILL "$3"' reaper "$job/never$1" "$job/rc$1" "$vm" \
		< /dev/null > /dev/null 2>&1
}

# helper COMMAND...: starts a helper with this shell's standard input; sets helper
helper() {
	"${dying[@]}" "$@" <&0 &
	helper=$!
	pids+=("$helper")
}

# One port for each of the three streams: with one for both directions, the end
# of the input would also be the end of the output.
start_machine() {	# NODE STDIN(0|1) WATCH(0|1) [PREFIX]; the caller's input is on 9
	local copy=(cat)
	[ -z "${4-}" ] || copy=(sed -u "s/^/$4/")
	write_conf "$1" pipes "$2" "$3"
	machine_args "$1"
	mkfifo "$job/in$1" "$job/out$1" "$job/err$1"
	vport virtserialport 2 "file,id=p2,path=${job//,/,,}/out$1"
	vport virtserialport 3 "file,id=p3,path=${job//,/,,}/err$1"
	if [ "$2" = 1 ]; then
		vport virtserialport 1 stdio,id=p1,signal=off
		feed "$job/in$1"
		start_qemu "$1" < "$job/in$1" > /dev/null
	else
		vport virtserialport 1 null,id=p1
		start_qemu "$1" < /dev/null > /dev/null
	fi
	open_late "$job/out$1" "${copy[@]}"
	outputs+=("$helper")
	open_late "$job/err$1" "${copy[@]}" >&2
	outputs+=("$helper")
}

# The terminal becomes raw here, because QEMU would leave some processing enabled.
start_terminal() {	# NODE
	write_conf "$1" tty 1 0
	machine_args "$1"
	mkfifo "$job/in$1" "$job/out$1" "$job/size$1"
	vport virtconsole 0 stdio,id=p0,signal=off
	vport virtserialport 1 "pipe,id=p1,path=${job//,/,,}/size$1"
	terminal=$(stty -g <&9)
	feed "$job/in$1"
	open_late "$job/out$1" cat
	outputs+=("$helper")
	start_qemu "$1" < "$job/in$1" > "$job/out$1"
	stty raw -echo <&9
}

# Opening a FIFO waits for its other end, so the helper itself opens it.
feed() {	# FIFO: from the caller's standard input
	# shellcheck disable=SC2016	# for that shell
	helper bash -c 'exec cat > "$1" 2> /dev/null' feed "$1" <&9
}

open_late() {	# FIFO COMMAND...
	# shellcheck disable=SC2016	# for that shell
	helper bash -c 'exec < "$1"; shift; exec "$@"' open_late "$@"
}

# wait_output: waits until all output of the machines has been passed on
wait_output() {
	[ ${#outputs[@]} = 0 ] || wait "${outputs[@]}"
}

# result NODE: returns the status of the command in that machine, or prints what went wrong
result() {
	local status
	status=$(cat "$job/rc$1" 2> /dev/null)
	[ -z "$status" ] || return "$status"
	{
		cat "$job/qemu$1.err" 2> /dev/null
		if [ -s "$job/fail$1" ]; then
			echo "$me: machine $1: $(< "$job/fail$1")"
		elif [ -n "$up" ]; then
			echo "$me: machine $1 has not reported how the command ended"
		else
			echo "$me: machine $1 ended without a status; the end of its console:"
			tail -n 30 "$job/console$1"
		fi
	} >&2
	return 125
}
