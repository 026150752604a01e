#!/bin/bash
# SPDX-License-Identifier: MIT
# mesh.sh RDMASH: scripts/mesh.rdma as 8 ranks of mpirun on the embedded device, each with a
# loopback address of its own: all ranks there; one that never starts, one that is killed before it
# has published its address and one after that; then the launchers' environments, and what is refused.
set -u
rdmash=$1
here=$(cd "$(dirname "$0")" && pwd)
mesh=$here/../../mesh.rdma
command -v mpirun > /dev/null || { echo "skipped: no mpirun (openmpi-bin)"; exit 77; }
if [ "${2-}" != inside ]; then
	exec bash "$here/../on.sh" uroce bash "$0" "$rdmash" inside
fi
dir=$(mktemp -d) && cd "$dir" || exit
trap 'rm -rf "$dir"' EXIT
export TMPDIR=$dir OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
unset RDMASH_RENDEZVOUS RDMASH_RANK RDMASH_SIZE
for i in 2 3 4 5 6 7 8; do ip addr add 127.0.0.$i/8 dev lo || exit; done
failures=0

bad() {
	echo "not ok: $1"
	failures=$((failures + 1))
}

# run STATUS WHAT...: mpirun WHAT; its output in out
run() {
	local status=$1
	shift
	timeout 60 mpirun --oversubscribe -n 8 "$@" > out 2>&1
	got=$?
	[ "$got" = "$status" ] || bad "mpirun $*: exit status $got instead of $status: $(cat out)"
}

says() {
	grep -Eq -- "$1" out || bad "no line like '$1' in: $(cat out)"
}

"$rdmash" -n "$mesh" || bad "rdmash -n"
run 0 "$rdmash" -q -f "$mesh"
says '^56 of 56 ok$'
[ "$(grep -cE '^ +[0-7]( +([0-9.]+|-)){8}$' out)" = 8 ] || bad "no full matrix: $(cat out)"

# shellcheck disable=SC2016
run 1 sh -c '[ $OMPI_COMM_WORLD_RANK != 3 ] || exit 0; exec "$@"' sh "$rdmash" -q -f "$mesh" 5
says '^missing: rank 3 has not told its address within 5 s$'
says '^42 of 56 ok$'

# rank 0 is killed: another one tells. mpirun would end them all, but for the option
# shellcheck disable=SC2016
run 0 --enable-recovery sh -c '[ $OMPI_COMM_WORLD_RANK != 0 ] || kill -9 $$
	"$@"; echo "status $?"' sh "$rdmash" -q -f "$mesh" 5
says '^missing: rank 0 has not told its address'
says '^status 1$'

# ... and without it they end at once and say whom they waited for
# shellcheck disable=SC2016
run 137 sh -c 'if [ $OMPI_COMM_WORLD_RANK = 5 ]; then
		until ls "$PMIX_SERVER_TMPDIR"/rdmash.*/at.0; do sleep 0.05; done 2> /dev/null
		kill -9 $$
	fi
	exec "$@"' sh "$rdmash" -q -f "$mesh" 30
says '^  missing +at\.5$'

# a rank that tells an address where nobody listens, and goes
echo 'rendezvous put at.[dict get [launcher] rank] {127.0.0.1 9}' > gone.rdma
# shellcheck disable=SC2016
run 1 sh -c '[ $OMPI_COMM_WORLD_RANK != 7 ] || exec "$1" -q -f gone.rdma; exec "$@"' \
	sh "$rdmash" -q -f "$mesh" 5
says '^0 -> 7: REJECTED: '
says '^missing: rank 7 has gone, or hangs'

# the other launchers, by what they set; and help's examples, in a job of one
tells() {	# WANTED VARIABLE=VALUE...
	local wanted=$1
	shift
	got=$(env "$@" "$rdmash" -c launcher 2>&1)
	[ "${got/$wanted/}" != "$got" ] || bad "launcher with $*: $got"
}
tells 'rank 2 of 4  4 on this host  Slurm job 77.0' SLURM_PROCID=2 SLURM_STEP_NUM_TASKS=4 \
	SLURM_LOCALID=2 SLURM_STEP_NUM_NODES=1 SLURM_JOB_ID=77 SLURM_STEP_ID=0
tells 'rank 2 of 4  PMIx job prte-1_1' PMIX_RANK=2 RDMASH_SIZE=4 PMIX_NAMESPACE=prte-1@1
tells 'rank 1 of 2  PMI' PMI_RANK=1 PMI_SIZE=2
tells 'rank 0 of 1' A=1
tells 'PMIX_RANK=2, but RDMASH_SIZE is not set' PMIX_RANK=2
tells 'not a number' PMI_RANK=-1 PMI_SIZE=2
tells 'not a number' PMI_RANK=99999999999999999999 PMI_SIZE=2
tells 'ranks start at 0' PMI_RANK=2 PMI_SIZE=2
export RDMASH_RENDEZVOUS=$dir/meet RDMASH_RANK=0 RDMASH_SIZE=1 RDMASH_JOB=../job
sh "$here/../../../shell/tests/examples.sh" "$rdmash" 'both ends' > out 2>&1 || bad "$(cat out)"
says '^passed'
[ -z "$(ls -A "$dir/meet")" ] || bad "left behind: $(ls -lA "$dir/meet")"
for key in '' . .. ../x a/b -x "$(printf '%065d' 0)"; do
	"$rdmash" -c "rendezvous put {$key} x" > out 2>&1 && bad "key $key is taken"
done
"$rdmash" -c 'rendezvous put k [string repeat x 65537]' > out 2>&1 && bad "too large is taken"
says 'more than 65536'
rm -rf "$dir/meet/"* && ln -s "$dir" "$dir/meet/rdmash._._job"
"$rdmash" -c 'rendezvous put k x' > out 2>&1 && bad "a link is followed: $(ls -la "$dir/meet")"
# another directory of this user has been renamed to its name
rm "$dir/meet/rdmash._._job" && mkdir "$dir/meet/results" && echo all > "$dir/meet/results/a"
mv "$dir/meet/results" "$dir/meet/rdmash._._job"
"$rdmash" -c 'rendezvous clear' > out 2>&1 && bad "what it has not made is cleared"
says 'rdmash._._job was not made for this job'
[ "$(cat "$dir/meet/rdmash._._job/a")" = all ] || bad "it is cleared: $(ls -lA "$dir/meet/rdmash._._job")"
rm -r "$dir/meet/rdmash._._job"
# another user has taken the name of the directory: another one is used; or that of the job in a shared one
if [ "$(id -u)" = 0 ]; then
	mkdir -m 1777 "$dir/taken" && chmod 711 "$dir"
	as=(setpriv --reuid 1002 --regid 1002 --clear-groups)
	"${as[@]}" mkdir "$dir/taken/rdmash-0" "$dir/taken/rdmash._._job" || bad 'mkdir'
	env -u RDMASH_RENDEZVOUS -u RDMASH_RANK -u RDMASH_SIZE TMPDIR="$dir/taken" SLURM_PROCID=0 \
		SLURM_STEP_NUM_TASKS=1 SLURM_LOCALID=0 SLURM_STEP_NUM_NODES=1 SLURM_JOB_ID=77 "$rdmash" \
		-c 'rendezvous put k x; rendezvous get k; rendezvous clear' > out 2>&1 || bad "a taken name: $(cat out)"
	says '^x$'
	RDMASH_RENDEZVOUS=$dir/taken "$rdmash" -c 'rendezvous put k x' > out 2>&1 && bad "another user's directory"
	says 'cause +another user has made this directory in RDMASH_RENDEZVOUS'
fi
[ "$failures" = 0 ] && echo ok
exit $((failures > 0))
