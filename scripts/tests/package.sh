#!/bin/bash
# SPDX-License-Identifier: MIT
# package.sh BUILD CMAKE CPACK: what is installed and packaged is complete and works.
set -u
build=$1 cmake=$2 cpack=$3
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
failures=0

ok() {
	local what=$1
	shift
	if "$@"; then
		echo "ok: $what"
	else
		echo "not ok: $what"
		failures=$((failures + 1))
	fi
}

DESTDIR=$tmp/root "$cmake" --install "$build" --prefix /usr >"$tmp/log" 2>&1 ||
	{ cat "$tmp/log"; exit 1; }
usr=$tmp/root/usr
ok 'the program' grep -q '^rdmash' <("$usr/bin/rdmash" --version)
for file in share/man/man1/rdmash.1 share/bash-completion/completions/rdmash \
	share/rdmash/examples/write-read.rdma share/rdmash/examples/lib/ends.rdma \
	share/rdmash/lab/init; do
	ok "$file" [ -s "$usr/$file" ]
done
ok 'the lab is installed with what it needs' grep -q '^rxe-lab' <("$usr/share/rdmash/rxe-lab" --version)

# the embedded device, with the library as it is installed
# shellcheck disable=SC2317
on_uroce() {
	bash "$(dirname "$0")/on.sh" uroce "$@" >"$tmp/log" 2>&1
	case $? in
	0) ;;
	77) echo 'not checked: network namespaces' ;;
	*) cat "$tmp/log"; return 1 ;;
	esac
}
ok 'uroce finds its library' [ -e "$("$usr/bin/uroce" --library)" ]
ok 'vtrace finds its library, and uroce' on_uroce "$usr/bin/uroce" "$usr/bin/vtrace" -q ibv_devinfo
ok 'an example on it' on_uroce "$usr/bin/rdmash" -q -f "$usr/share/rdmash/examples/write-read.rdma"

# the manual pages, without a warning
if command -v man >/dev/null; then
	for program in rdmash uroce vtrace; do
		page=$(MANWIDTH=80 man --warnings -l "$usr/share/man/man1/$program.1" 2>"$tmp/warnings")
		ok "man shows $program(1)" grep -q '^NAME' <<<"$page"
		ok 'without warnings' [ ! -s "$tmp/warnings" ]
		cat "$tmp/warnings"
	done
else
	echo 'not checked: man (man-db)'
fi

# complete WORD...: what bash would offer for the last one
complete_words() {
	# shellcheck disable=SC2016  # for that bash
	PATH=$usr/bin:$PATH bash --norc -c '
		. "$1" || exit
		shift
		COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_LINE="$*" COMP_POINT=${#COMP_LINE}
		read -ra spec < <(complete -p "${COMP_WORDS[0]}")
		for ((i = 0; i < ${#spec[@]}; i++)); do
			[ "${spec[i]}" != -F ] || function=${spec[i + 1]}
		done
		"$function" "${COMP_WORDS[0]}" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
		printf "%s\n" "${COMPREPLY[@]}"' \
		complete "$usr/share/bash-completion/completions/$1" "$@"
}
ok 'completion of --tr' grep -qx -- '--trace *' <(complete_words rdmash --tr)
ok 'completion of --device' grep -qx 'uroce0 *' <(complete_words rdmash --device u)
ok 'completion of a command' grep -qxF 'post\ write' <(complete_words rdmash -c 'post\ w')
ok 'completion within quotes' grep -qxF 'post write' <(complete_words rdmash -c "'post w")
ok 'completion of a command after another' grep -qxF 'pd; post write' <(complete_words rdmash -c '"pd; post w')
ok 'completion of an option' grep -qxF 'post write buf -len ' <(complete_words rdmash -c "'post write buf -l")
ok 'completion of a sole option leaves the quotes open' [ "$(complete_words rdmash -c "'post write buf -l" | wc -l)" = 2 ]
ok 'completion of an option without quotes' [ "$(complete_words rdmash -c 'post\ write\ buf\ -l')" = 'post\ write\ buf\ -len' ]
ok 'completion of what is no command' [ -z "$(complete_words rdmash -c "'nosuch x")" ]
ok 'completion of uroce' grep -qx status <(complete_words uroce st)
ok 'completion of --' [ "$(complete_words rdmash -- | wc -l)" -gt 8 ]

# the packages
if (cd "$build" && "$cpack" -B "$tmp/pack" -G TGZ) >"$tmp/log" 2>&1; then
	tar -tzf "$tmp"/pack/*.tar.gz >"$tmp/list"
	ok 'the program is in the .tar.gz' grep -q 'bin/rdmash$' "$tmp/list"
	ok 'the embedded device is in it' grep -q 'liburoce.so$' "$tmp/list"
	ok 'the examples are in it' grep -q 'share/rdmash/examples/write-read.rdma$' "$tmp/list"
else
	cat "$tmp/log"
	ok 'cpack -G TGZ' false
fi

has_files() { # PACKAGE FILE...
	local package=$1 file
	shift
	for file in "$@"; do
		ok "$file is in $package" grep -qx "./$file" "$tmp/files.$package"
	done
}

# check_deb PACKAGE FILE... -- DEPENDENCY...
check_deb() {
	local package=$1 files=() depends
	shift
	while [ "$1" != -- ]; do files+=("$1") && shift; done
	shift
	dpkg-deb --fsys-tarfile "$tmp/pack/${package}"_*.deb | tar -t | grep -v '/$' | sort >"$tmp/files.$package"
	has_files "$package" "${files[@]}" "usr/share/bash-completion/completions/$package" \
		"usr/share/man/man1/$package.1.gz" "usr/share/doc/$package/copyright"
	depends=$(dpkg-deb -f "$tmp/pack/${package}"_*.deb Depends)
	for lib in libibverbs1 librdmacm1 "$@"; do
		ok "$package depends on $lib" grep -qF "$lib" <<<"$depends"
	done
}

# dpkg with a tree of its own
# shellcheck disable=SC2317
in_tree() {
	dpkg --root="$tmp/tree" --force-not-root --force-script-chrootless --force-depends "$@" \
		>"$tmp/log" 2>&1 || { cat "$tmp/log"; return 1; }
}

check_installed() {
	local bin=$tmp/tree/usr/bin
	mkdir -p "$tmp/tree/var/lib/dpkg/info" "$tmp/tree/var/lib/dpkg/updates"
	touch "$tmp/tree/var/lib/dpkg/status"
	ok 'dpkg installs both' in_tree --log=/dev/null -i "$tmp"/pack/*.deb
	ok 'uroce rdmash, as packaged' on_uroce "$bin/uroce" "$bin/rdmash" -q -c 'open uroce0'
	ok 'rdmash finds its device' on_uroce "$bin/rdmash" -q "$tmp/tree/usr/share/rdmash/examples/write-read.rdma"
	ok 'dpkg purges both' in_tree --log=/dev/null --purge rdmash uroce
	ok 'nothing is left' [ -z "$(find "$tmp/tree" -path '*/var/lib/dpkg' -prune -o ! -type d -print)" ]
	ok 'no folder is left' [ ! -e "$tmp/tree/usr" ]
}

if command -v dpkg-shlibdeps >/dev/null; then
	if (cd "$build" && "$cpack" -B "$tmp/pack" -G DEB) >"$tmp/log" 2>&1; then
		version=$("$usr/bin/rdmash" --version | sed -n 's/^rdmash \([^ ]*\).*/\1/p')
		check_deb rdmash usr/bin/rdmash usr/bin/vtrace usr/share/man/man1/vtrace.1.gz \
			usr/share/rdmash/examples/write-read.rdma -- \
			"uroce (= $version)" libedit2 libtcl8.6 libjson-c libmd libpcap0.8
		check_deb uroce usr/bin/uroce usr/lib/rdmash/preload/liburoce.so -- libdeflate
		ok 'no file is in both' [ -z "$(comm -12 "$tmp/files.rdmash" "$tmp/files.uroce")" ]
		check_installed
		if command -v lintian >/dev/null; then
			# root is what a container's tests are
			ok 'lintian has nothing to say' lintian --allow-root --fail-on error,warning \
				"$tmp"/pack/*.deb
		else
			echo 'not checked: lintian'
		fi
	else
		cat "$tmp/log"
		ok 'cpack -G DEB' false
	fi
else
	echo 'not checked: the .deb (dpkg-dev)'
fi
exit $((failures > 0))
