#!/bin/bash
# SPDX-License-Identifier: MIT
# slurm.sh RDMASH PAGE: a Slurm of one node, with munge, in a network of its own: all ranks of mesh.rdma
# with srun, the batch job of PAGE (docs/cluster.md) unchanged, and a peer that srun starts.
set -u
rdmash=$1 page=$(realpath "$2")
here=$(cd "$(dirname "$0")" && pwd)
mesh=$here/../../mesh.rdma
PATH=$PATH:/usr/sbin
for program in munged slurmctld slurmd srun sbatch; do
	command -v $program >/dev/null || { echo "skipped: no $program (slurm-wlm, munge)"; exit 77; }
done
[ "$(id -u)" = 0 ] || { echo 'skipped: slurmd wants root'; exit 77; }
if [ "${3-}" != inside ]; then
	exec bash "$here/../on.sh" uroce bash "$0" "$rdmash" "$page" inside
fi
# a newer slurmd leaves cgroups alone if it is told so; an older one wants those that there are
read -r _ version < <(slurmd -V)
if [ "${version%%.*}" -lt 24 ]; then
	mountpoint -q /sys/fs/cgroup || { echo 'skipped: slurmd wants /sys/fs/cgroup'; exit 77; }
fi
for i in 2 3 4 5 6 7 8; do ip addr add 127.0.0.$i/8 dev lo || exit; done
dir=$(mktemp -d) && cd "$dir" || exit
export TMPDIR=$dir SLURM_CONF=$dir/slurm.conf
unset RDMASH_RENDEZVOUS RDMASH_RANK RDMASH_SIZE
pids=()
# shellcheck disable=SC2154  # status is set there
trap 'status=$?; kill "${pids[@]}"; wait; cd / && rm -rf "$dir"; exit $status' EXIT
failures=0

bad() {
	echo "not ok: $1"
	failures=$((failures + 1))
}

# start PROGRAM ARG...: a daemon, until the end of this test
start() {
	"$@" >"${1##*/}.out" 2>&1 &
	pids+=($!)
}

mkdir state spool
head -c 1024 /dev/urandom >munge.key
chmod 400 munge.key
start munged --foreground --force --key-file="$dir/munge.key" --socket="$dir/munge.sock" \
	--pid-file="$dir/munged.pid" --log-file="$dir/munged.log" --seed-file="$dir/munge.seed"
for _ in {1..200}; do [ ! -S munge.sock ] || break; sleep 0.05; done
# more processors than there may be; no cgroups, which are the host's; and jobs that do not wait until
# the one before has been cleared away, nor a minute for the next look whether it has
cat >slurm.conf <<END
ClusterName=rdmash
SlurmctldHost=$(hostname)(10.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthInfo=socket=$dir/munge.sock
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
ReturnToService=2
SlurmdParameters=config_overrides
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=sched_interval=1
StateSaveLocation=$dir/state
SlurmdSpoolDir=$dir/spool
SlurmctldPidFile=$dir/slurmctld.pid
SlurmdPidFile=$dir/slurmd.pid
NodeName=node1 NodeAddr=10.0.0.1 CPUs=9
PartitionName=all Nodes=node1 Default=YES State=UP
END
if [ "${version%%.*}" -ge 24 ]; then echo CgroupPlugin=disabled >cgroup.conf; fi
start slurmctld -D
start slurmd -D -N node1

# full WHAT: a matrix of 8 ranks is in out
full() {
	if ! grep -q '^56 of 56 ok$' out || [ "$(grep -cE '^ +[0-7]( +([0-9.]+|-)){8}$' out)" != 8 ]; then
		bad "$1: no full matrix: $(cat out)"
	fi
}

if ! timeout 60 srun -n 1 true >out 2>&1; then
	cat out ./*.out
	bad 'the cluster does not come up'
	exit 1
fi
timeout 150 srun -n 8 "$rdmash" -q -f "$mesh" >out 2>&1 || bad "srun: exit status $?"
full "srun -n 8"
grep -q 'mesh of 8 ranks (Slurm)' out || bad "srun: who has started them: $(cat out)"

# a rank that does not come
# shellcheck disable=SC2016
timeout 150 srun -n 8 sh -c '[ $SLURM_PROCID != 3 ] || exit 0; exec "$@"' sh \
	"$rdmash" -q -f "$mesh" 1 >out 2>&1 && bad 'a rank is missing: srun says nothing'
grep -q '^missing: rank 3 has not told its address' out || bad "a rank is missing: $(cat out)"

# the page's job, on the one node that there is
awk '/^```/ { inside = !inside; next } inside && /^#!/ { on = 1 } !inside { on = 0 } on' "$page" |
	sed "s|--nodes=4 --ntasks-per-node=1|--nodes=1 --ntasks=8|
		s|rdmash -f /usr/share/rdmash/mesh.rdma|$rdmash -q -f $mesh|" >job.sh
timeout 150 sbatch --wait --output=out job.sh >sbatch.out 2>&1 || bad "sbatch: $(cat sbatch.out job.sh)"
full "the page's job"

# shellcheck disable=SC2016  # dollars are Tcl's
timeout 150 "$rdmash" -q -c 'peer b -command {srun -n 1}' -c 'set job [@b launcher]' \
	-c 'echo [dict get $job name]' >out 2>&1 || bad "a peer of srun's: exit status $?"
grep -qx 'Slurm' out || bad "a peer of srun's: $(cat out)"
exit $((failures > 0))
