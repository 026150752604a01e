#!/bin/bash
# SPDX-License-Identifier: MIT
# completions.sh RDMASH PAGES: zsh, fish and vim with what pages.rdma has written into the folder
# PAGES: a person types, and presses Tab.
# shellcheck source-path=SCRIPTDIR source=../../../shell/tests/tty/tmux.sh
. "$(dirname "$0")/../../../shell/tests/tty/tmux.sh"
rdmash=$1 pages=$2
PATH=$(dirname "$(realpath "$rdmash")"):$PATH

if command -v zsh >/dev/null; then
	start zsh -f
	await '[#%] *$'
	line "PS1='> '; fpath=($pages \$fpath); autoload -Uz compinit; compinit -u -D"
	await "$prompt"
	type 'rdmash --tr'
	key Tab
	await '> rdmash --trace *$'
	key C-u
	type 'rdmash --device u'
	key Tab
	await '> rdmash --device uroce0 *$'
	key C-u
	type "rdmash -c 'post write-"
	key Tab
	await "> rdmash -c 'post write-imm"
	stop
	echo 'ok: zsh'
else
	echo 'not checked: zsh'
fi

if command -v fish >/dev/null; then
	fish_words() { # what fish offers at the end of a line
		HOME=$dir fish -c "source '$pages/rdmash.fish'; complete -C '$1'" | cut -f 1
	}
	fish_words 'rdmash --tr' | grep -qx -- --trace || fail 'fish: no option'
	fish_words 'rdmash --device u' | grep -qx uroce0 || fail 'fish: no device'
	fish_words 'rdmash -c "post w' | grep -qx 'post write' || fail 'fish: no command'
	echo 'ok: fish'
else
	echo 'not checked: fish'
fi

if vim --version 2>/dev/null | grep -q '+syntax'; then
	mkdir -p "$dir/vim/syntax" "$dir/vim/ftdetect"
	cp "$pages/rdmash.vim" "$dir/vim/syntax"
	cp "$pages/ftdetect.vim" "$dir/vim/ftdetect/rdmash.vim"
	cat >"$dir/x.rdma" <<-END
		reg 4096 -name window
		post write window -len 3
		set x [mem get window 0 4]
	END
	cat >"$dir/names.vim" <<-END
		set rtp^=$dir/vim
		filetype on
		syntax on
		edit $dir/x.rdma
		call writefile(map([[1, 1], [1, 10], [2, 6], [2, 20], [3, 8]],
			\ {_, p -> synIDattr(synID(p[0], p[1], 1), 'name')}), '$dir/names')
		qall!
	END
	vim -e -s -N -u NONE -i NONE -S "$dir/names.vim"
	[ "$(tr '\n' ' ' <"$dir/names")" = \
		'rdmashCommand rdmashOption rdmashCommand rdmashOption rdmashCommand ' ] ||
		fail "vim: $(cat "$dir/names")"
	echo 'ok: vim'
else
	echo 'not checked: vim'
fi
