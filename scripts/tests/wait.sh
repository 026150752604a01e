# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# To wait without starting a program each time: the machine of the lab emulates a single processor,
# and a loop of sleep and grep would take it from what the test waits for.
#	nap SECONDS
#	in_file FILE TEXT	FILE is there, and TEXT is in it
#	await_port PORT PID	until something listens on that TCP port, or the process is no more
#	listens			somebody waits for a peer: RDMA CM of the kernel or ours ($UROCE), or TCP

exec {never}<> <(:) # open for writing here too: nobody says anything, and it does not end

nap() {
	read -rt "$1" -u "$never" || :
}

in_file() {
	local parts

	{ mapfile -td '' parts <"$1"; } 2>/dev/null && [[ ${parts[*]} == *"$2"* ]]
}

await_port() {
	local row tables

	printf -v row ':%04X 0*:0000 0A ' "$1"
	until { tables=$(</proc/net/tcp)$(</proc/net/tcp6); } 2>/dev/null; [[ $tables =~ $row ]]; do
		kill -0 "$2" 2>/dev/null || return
		nap 0.05
	done
}

listens() {
	in_file /proc/net/tcp ' 0A ' || in_file /proc/net/tcp6 ' 0A ' ||
		[[ $({ [ -n "${UROCE-}" ] && "$UROCE" status; rdma resource show cm_id; } 2>/dev/null) == *@(listens|LISTEN)* ]]
}
