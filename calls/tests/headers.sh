#!/bin/sh
# SPDX-License-Identifier: MIT
#
# headers.sh CC RELEASE CALLS_TEST TABLE NAMES...: is every function and every value of an enum that the
# installed headers declare, and every symbol of the installed libraries, in the table, or in NAMES as
# one that no call takes? Has the table the values that NAMES says newer releases have, and no others?
# Of releases newer than the last list a gap is only told.
set -u
cc=$1 release=$2 program=$3 table=$4
shift 4
LC_ALL=C
export LC_ALL
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

for names; do newest=${names##*-}; done
newest=${newest%.names}
{ "$program"; awk '$2 == "-" { print $1 }' "$@"; } | sort -u >"$dir/known"

# Where a name stands before a parenthesis it is declared, defined or called.
printf '#include <%s>\n' infiniband/verbs.h rdma/rdma_cma.h rdma/rdma_verbs.h >"$dir/all.c"
"$cc" -D_GNU_SOURCE -E -P "$dir/all.c" >"$dir/all.i" || exit 1
grep -oE '\b(ibv|rdma|mult_to_ibv|mbps_to_ibv)_[a-z0-9_]+ *\([^*]' "$dir/all.i" | sed 's/ *(.*//' |
	grep -vx 'rdma_seterrno' | sort -u >"$dir/declared"

# The newest version of each symbol counts; private ones are the providers'.
for library in libibverbs.so librdmacm.so; do
	nm -D --defined-only "$("$cc" -print-file-name=$library)" || exit 1
done >"$dir/exports"
sed -nE 's/.* [TWi] ([a-z_0-9]+)@@(IBVERBS|RDMACM)_[0-9.]+$/\1/p' "$dir/exports" | sort -u >"$dir/symbols"

# The kernel's ids of drivers are not the libraries'.
tr '\n' ' ' <"$dir/all.i" | grep -oE '\benum( [a-z_0-9]+)? *\{[^}]*\}' |
	grep -oE '\b(IBV|RDMA)_[A-Z0-9_]+' | grep -vE '^RDMA_DRIVER_|_RESERVED' | sort -u >"$dir/values"
awk '/^[^\t]/ { words = $1 == "enum" } /^\t/ && words' "$table" | tr -s '[:blank:]' '\n' |
	grep -E '^(IBV|RDMA)_' >"$dir/words"
sed 's/=.*//' "$dir/words" | sort -u >>"$dir/known"
sort -o "$dir/known" "$dir/known"
sed -n 's/=.*//p' "$dir/words" | sort >"$dir/newer"
awk '$3 == "enum" && $2 != "-" { print $1 }' "$@" | sort |
	comm -3 - "$dir/newer" | sed 's/^/a value that the lists or the table lack: /' >"$dir/gaps"

for what in declared symbols values; do
	[ -s "$dir/$what" ] || { echo "nothing is $what" >&2; exit 1; }
	comm -23 "$dir/$what" "$dir/known" | sed "s/^/not in the table ($what): /"
done >>"$dir/gaps"
"$program" | comm -23 - "$dir/declared" >"$dir/gone"
if [ "$release" -ge "$newest" ]; then
	sed 's/^/in the table, not in the headers: /' "$dir/gone" >>"$dir/gaps"
fi
echo "rdma-core $release: $(wc -l <"$dir/declared") declared, $(wc -l <"$dir/symbols") symbols," \
	"$(wc -l <"$dir/values") values of enums"
[ -s "$dir/gaps" ] || exit 0
cat "$dir/gaps" >&2
if [ "$release" -gt "$newest" ]; then
	echo "newer than $newest: a warning only" >&2
	exit 0
fi
exit 1
