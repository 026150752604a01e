#!/bin/bash
# SPDX-License-Identifier: MIT
# package.sh SOURCE BUILD CMAKE: what is installed and packaged of this build is complete and works.
set -u
source=$1 build=$2 cmake=$3
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
for file in share/man/man1/rdmash.1 share/man/man1/rdmash-post-write.1 \
	share/bash-completion/completions/rdmash share/vim/vimfiles/syntax/rdmash.vim \
	share/rdmash/examples/write-read.rdma share/rdmash/examples/lib/ends.rdma \
	share/rdmash/cheat-sheet.rdma share/doc/rdmash/NEWS.md share/doc/rdmash/SECURITY.md \
	share/rdmash/lab/init; do
	ok "$file" [ -s "$usr/$file" ]
done
# lacking: the commands without a page of their own, and the options that are not completed
# shellcheck disable=SC2317
lacking() {
	local kind name n=0
	while read -r kind name; do
		n=$((n + 1))
		case $kind in
		page) [ -s "$usr/share/man/man1/rdmash-$name.1" ] ;;
		option) grep -qF -- "--$name" "$usr/share/bash-completion/completions/rdmash" ;;
		esac || echo "no $kind: $name"
	done < <("$usr/bin/rdmash" -q -c 'foreach c [help -json] { echo "page [string map {{ } -} [dict get $c name]]" }' \
		-c 'foreach option [dict get [help -tables] options] { echo "option [dict get $option name]" }')
	[ $n -gt 100 ] || echo "only $n commands and options"
}
ok 'each command has its page, each option is completed' [ -z "$(lacking | tee /dev/stderr)" ]
ok 'no page is of a command that is gone' [ "$(find "$usr/share/man/man1" -name 'rdmash-*.1' | wc -l)" = \
	"$("$usr/bin/rdmash" -q -c 'echo [llength [help -json]]')" ]
ok 'the lab is installed with what it needs' grep -q '^rxe-lab' <("$usr/share/rdmash/rxe-lab" --version)

# the embedded device, with the library as it is installed
# shellcheck disable=SC2317
on_uroce() {
	bash "$(dirname "$0")/../on.sh" uroce "$@" >"$tmp/log" 2>&1
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
	for program in rdmash rdmash-post-write uroce vtrace; do
		ok "man shows $program(1)" grep -q '^NAME' \
			<(MANWIDTH=80 man -l "$usr/share/man/man1/$program.1")
	done
	groff -man -Tutf8 -ww -z -rLL=78n "$usr"/share/man/man1/*.1 2>"$tmp/warnings"
	ok 'no page has a warning' [ ! -s "$tmp/warnings" ]
	head "$tmp/warnings"
	ok 'names in SEE ALSO are apart' [ -z "$(grep -l '^\.BR .*([0-9]) .*(' "$usr"/share/man/man1/*.1)" ]
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

# A source tarball has its version without git, and does not take that of a repository around it.
if [ -e "$source/.git" ]; then
	tarball=$("$source/scripts/source-tarball" "$tmp")
	tar -xf "$tarball" -C "$tmp"
	git -C "$tmp" init -q
	git -C "$tmp" -c user.name=a -c user.email=a@b commit -q --allow-empty -m another
	git -C "$tmp" tag v9.9
	ok 'the source tarball can be configured' "$cmake" -S "${tarball%.tar.xz}" -B "$tmp/of-tarball" \
		-DBUILD_TESTING=OFF --log-level=ERROR
	ok 'its version is its own' [ -z "$(grep -o '_VERSION=[^ ]*9[.]9' "$tmp/of-tarball/compile_commands.json" |
		tee /dev/stderr)" ]
else
	echo 'not checked: the source tarball (no git)'
fi

# pack: both packages in $tmp/pack, of the build as it is: debhelper's stamp says that it is built.
pack() {
	mkdir -p "$tmp/pack/source/debian"
	cp -r "$source"/debian "$tmp/pack/source"
	cp -r "$source/LICENSES" "$tmp/pack/source"
	printf '%s\n' rdmash uroce >"$tmp/pack/source/debian/debhelper-build-stamp"
	(cd "$tmp/pack/source" && RDMASH_BUILD=$build DEB_BUILD_OPTIONS=noautodbgsym \
		debian/rules binary) >"$tmp/log" 2>&1
}

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

if command -v dh >/dev/null; then
	if pack; then
		version=$(cd "$source" && dpkg-parsechangelog -S Version)
		ok 'the version of debian/changelog is that of the program' \
			[ "$version" = "$("$usr/bin/rdmash" --version | sed -n 's/^rdmash \([0-9.]*\).*/\1/p')" ]
		check_deb rdmash usr/bin/rdmash usr/bin/vtrace usr/share/man/man1/vtrace.1.gz \
			usr/share/man/man1/rdmash-post-write.1.gz \
			usr/share/rdmash/examples/write-read.rdma -- \
			"uroce (= $version)" libedit2 "libtcl$("$usr/bin/rdmash" -X -q -c "puts [info tclversion]")" libjson-c libpcap0.8
		check_deb uroce usr/bin/uroce usr/lib/rdmash/preload/liburoce.so -- libdeflate
		ok 'no file is in both' [ -z "$(comm -12 "$tmp/files.rdmash" "$tmp/files.uroce")" ]
		check_installed
		if command -v lintian >/dev/null; then
			# root is what a container's tests are
			ok 'lintian has nothing to say' lintian --allow-root --pedantic \
				--fail-on error,warning,pedantic "$tmp"/pack/*.deb
		else
			echo 'not checked: lintian'
		fi
	else
		cat "$tmp/log"
		ok 'debian/rules binary' false
	fi
else
	echo 'not checked: the .deb (debhelper)'
fi
exit $((failures > 0))
