#!/bin/bash
# SPDX-License-Identifier: MIT
# peer-ssh.sh RDMASH: 'peer -host' over a real sshd, with its banner and one that the login prints,
# and the error where ssh cannot connect. The server has its own network and keys: it admits the
# user who runs this test, and nothing on this host is changed.
# shellcheck disable=SC1091,SC2154 # run.inc sets variables
set -u
here=$(cd "$(dirname "$0")" && pwd)
PATH=$PATH:/usr/sbin
for program in ssh sshd ssh-keygen; do
	command -v $program >/dev/null || { echo "skipped: no $program (openssh-server)"; exit 77; }
done
[ "$(id -u)" = 0 ] || { echo 'skipped: sshd wants root'; exit 77; }
if [ "${2-}" != inside ]; then
	exec bash "$here/../on.sh" uroce unshare --mount bash "$0" "$1" inside
fi
mount -t tmpfs run /run && mkdir -m 755 /run/sshd || exit # sshd's empty folder
. "$here/../../../shell/tests/run.inc"
chmod 755 "$dir"
trap 'kill "$(cat "$dir/sshd.pid")"; rm -rf "$dir"' EXIT

for key in host me stranger; do ssh-keygen -q -t ed25519 -N '' -f "$dir/$key" || exit; done
echo 'Authorised use only.' >banner
cat >sshd.conf <<END
Port 2222
Port 2223
ListenAddress 10.0.0.2
HostKey $dir/host
AuthorizedKeysFile $dir/me.pub
StrictModes no
PidFile $dir/sshd.pid
PermitRootLogin prohibit-password
PasswordAuthentication no
KbdInteractiveAuthentication no
UsePAM no
Banner $dir/banner
Match LocalPort 2223
	ForceCommand echo 'Welcome to node3'; eval "exec \$SSH_ORIGINAL_COMMAND"
END
# host NAME PORT KEY: a word for ssh
host() {
	cat <<-END
	Host $1
		HostName 10.0.0.2
		Port $2
		IdentityFile $dir/$3
		IdentitiesOnly yes
		UserKnownHostsFile $dir/known_hosts
		StrictHostKeyChecking accept-new
		LogLevel INFO
	END
}
{ host node2 2222 me; host node3 2223 me; host node4 2222 stranger; } >ssh.conf
mkdir bin
# without a sanitizer of rdmash's
printf '#!/bin/sh\nunset LD_PRELOAD\nexec %s -F %s "$@"\n' "$(command -v ssh)" "$dir/ssh.conf" >bin/ssh
chmod 755 bin/ssh
PATH=$dir/bin:$PATH
"$(command -v sshd)" -f sshd.conf -E sshd.log || { cat sshd.log; exit 1; } # it listens now

cat >both.rdma <<'END'
@b reg 4096 -name window
@b listen 7471 -address 10.0.0.2 -share window -accept
connect 10.0.0.2 7471
post write -text "over ssh"
poll -ok
expect -name "it is in the memory there" -value "over ssh" {@b mem get window 0 8}
echo "pid [dict get [@b] pid]"
END

for host in node2 node3; do
	run -X -c "peer b -host $host -rdmash {$rdmash}" -f both.rdma
	wants "$host: exit code" "$code" 0
	has "$host: the write" "$out" 'ok 1 it is in the memory there'
	has "$host: the banner of sshd is shown" "$out$err" 'Authorised use only.'
	pid=$(sed -n 's/^pid //p' <<<"$out")
	wants "$host: a process" "${pid:+there}" there
	for _ in {1..600}; do kill -0 "$pid" 2>/dev/null || break; sleep 0.05; done
	kill -0 "$pid" 2>/dev/null && wants "$host: it ends with this one" "$pid" gone
done
has 'what the login prints is shown' "$out$err" 'Welcome to node3'

run -X -c "peer b -host node4 -rdmash {$rdmash}"
wants 'a key that is not known: exit code' "$code" 1
has 'ssh says why' "$err" 'Permission denied (publickey)'
has 'and rdmash what is to be done' "$err" 'ssh must work without a password'
run -X -c 'peer b -host node2 -rdmash /no/such/rdmash'
wants 'no rdmash there: exit code' "$code" 1
has 'the shell there says so' "$err" '/no/such/rdmash'
finish
