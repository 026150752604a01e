# SPDX-License-Identifier: MIT
# bash completion for vtrace: its options, then a program and what that takes
_vtrace()
{
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} i=1 IFS=$'\n'

	COMPREPLY=()
	while ((i < COMP_CWORD)) && [[ ${COMP_WORDS[i]} == -* ]]; do
		case ${COMP_WORDS[i]} in
		-o | -e | --output | --only | --record | --report | --stop-on) ((i++)) ;;
		esac
		((i++))
	done
	if ((i > COMP_CWORD)); then # the value of an option
		case $prev in
		-e | --only) COMPREPLY=($(compgen -W $'set-up\ndata\nibv_post_*\nibv_poll_cq\nrdma_*' -- "$cur")) ;;
		--stop-on) COMPREPLY=($(compgen -W $'any\nEINVAL\nENOMEM\nREM_ACCESS_ERR\nLOC_PROT_ERR\nRETRY_EXC_ERR\nRNR_RETRY_EXC_ERR\nWR_FLUSH_ERR' -- "$cur")) ;;
		*) compopt -o default ;;
		esac
	elif ((i == COMP_CWORD)); then
		if [[ $cur == -* ]]; then
			COMPREPLY=($(compgen -W $'--counts\n--only\n--follow\n--json\n--no-data\n--output\n--quiet\n--record\n--report\n--stop-on\n--timeline\n--help\n--version' -- "$cur"))
		else
			COMPREPLY=($(compgen -c -- "$cur"))
		fi
	elif declare -F _command_offset >/dev/null; then
		_command_offset $i
	else
		compopt -o default
	fi
}
complete -F _vtrace vtrace
