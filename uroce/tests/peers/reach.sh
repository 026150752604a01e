#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Programs that reach verbs through other libraries: libfabric, UCX and Python; and those of
# rdmacm-utils that are not in rdmacm.sh.
# shellcheck source-path=SCRIPTDIR source=lib.sh disable=SC2317
. "$(dirname "$0")/lib.sh" "$@"
need mckey rdma_xserver

until_joined() { within 20 grep -qs 'EF010203\|030201EF' /proc/net/igmp; }
both 'mckey, both ends' 'until_joined' \
	"'$uroce' mckey -m 239.1.2.3 -b 127.0.0.1 -C 5" \
	"'$uroce' mckey -m 239.1.2.3 -b 127.0.0.1 -C 5 -s"
both 'rdma_xclient' 'until_listening 7471' "'$uroce' rdma_xserver -p 7471" \
	"'$uroce' rdma_xclient -s 127.0.0.1 -p 7471"

# rsockets cannot be, which is said
says_unsupported() {
	"$uroce" rstream -s 127.0.0.1 2>&1 | grep -q 'uroce: rsockets are not supported'
}
ok 'rsockets say that they are not supported' says_unsupported

# what loads no library says nothing by itself
printf 'int main(void) { return 0; }\n' >"$tmp/alone.c"
if cc -static -o "$tmp/alone" "$tmp/alone.c" 2>/dev/null; then
	says_static() { "$uroce" "$tmp/alone" 2>&1 | grep -q "alone is statically linked"; }
	ok 'a static program is told of' says_static
fi
says_setuid() {
	cp /bin/true "$tmp/true" && chmod 4755 "$tmp/true" && chmod 755 "$tmp" &&
		setpriv --reuid 65534 --clear-groups "$uroce" "$tmp/true" 2>&1 |
		grep -q 'true is setuid, and the system loads nothing'
}
if [ "$(id -u)" = 0 ] && setpriv --reuid 65534 --clear-groups test -x "$uroce" 2>/dev/null; then
	ok 'a setuid program is told of' says_setuid
fi
says_nothing() { [ -z "$("$uroce" true 2>&1)" ]; }
ok 'others are not' says_nothing
both 'ibv_xsrq_pingpong' 'until_port 18620' "'$uroce' ibv_xsrq_pingpong -p 18620 -g 0 -c 1" \
	"'$uroce' ibv_xsrq_pingpong -p 18620 -g 0 127.0.0.1"

# libfabric does not look at loopback interfaces
if ip link add end0 type veth peer name end1 2>/dev/null; then
	ip link set end1 up
	ip link set end0 up
	ip addr add 10.9.0.1/24 dev end0
	if command -v fi_pingpong >/dev/null; then
		for type in msg dgram; do
			both "fi_pingpong $type" 'until_port 47592' \
				"'$uroce' fi_pingpong -p verbs -e $type -I 50" \
				"'$uroce' fi_pingpong -p verbs -e $type -I 50 10.9.0.1"
		done
	fi
fi

# of UCX: what is told of the device and of a datagram's GRH brings two of its workers together
if command -v ucx_perftest >/dev/null; then
	export UCX_NET_DEVICES=uroce0:1
	ucx=(ucx_perftest -p 13337)
	# not as processes of MPI, which newer ones are without a terminal
	! ucx_perftest -h | grep -q '^ *-P <0|1>' || ucx+=(-P 0)
	for tls in rc_v ud_v; do
		both "ucx_perftest $tls" 'until_port 13337' \
			"UCX_TLS=$tls exec '$uroce' ${ucx[*]}" \
			"UCX_TLS=$tls exec '$uroce' ${ucx[*]} 127.0.0.1 -t tag_lat -n 100"
	done
fi

tests=/usr/share/doc/rdma-core/tests
if [ -d $tests ] && python3=$(PATH=/usr/bin command -v python3) &&
	"$python3" -c 'import pyverbs' 2>/dev/null; then
	cp -r $tests "$tmp/tests"
	gunzip "$tmp"/tests/*.gz
	# newer tests ask rdma(8) for the network device, and a kernel without RDMA does not answer
	rdma link >/dev/null 2>&1 || {
		printf '#!/bin/sh\necho "[]"\n' >"$tmp/rdma"
		chmod 755 "$tmp/rdma"
	}
	for name in pd mr cq_events qpex rdmacm fork; do
		ok "pyverbs: $name" timeout 150 env -C "$tmp" PATH="$tmp:$PATH" "$uroce" "$python3" tests/run_tests.py \
			--dev uroce0 "tests.test_$name"
	done
fi
finish
