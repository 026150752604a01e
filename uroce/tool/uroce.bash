# SPDX-License-Identifier: MIT
# bash completion for uroce: its own words, or a program and what that takes
_uroce()
{
	local cur=${COMP_WORDS[COMP_CWORD]} IFS=$'\n'

	COMPREPLY=()
	if ((COMP_CWORD == 1)); then
		COMPREPLY=($(compgen -W $'status\n--order\n--order-seeds\n--within\n--library\n--help\n--version' -- "$cur"))
		((${#COMPREPLY[@]})) || COMPREPLY=($(compgen -c -- "$cur"))
	elif declare -F _command_offset >/dev/null; then
		_command_offset 1
	else
		compopt -o default
	fi
}
complete -F _uroce uroce
