# SPDX-License-Identifier: MIT
# bash completion for vtrace: its options, then a program and what that takes
_vtrace()
{
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} i=1 IFS=$'\n'

	COMPREPLY=()
	while ((i < COMP_CWORD)) && [[ ${COMP_WORDS[i]} == -* ]]; do
		case ${COMP_WORDS[i]} in
		-o | -e | --inject | --junit | --output | --only | --peer | --record | --report | --seed | --stop-on | --stuck | --suppress | --within) ((i++)) ;;
		esac
		((i++))
	done
	if ((i > COMP_CWORD)); then # the value of an option
		case $prev in
		-e | --only) COMPREPLY=($(compgen -W $'set-up\ndata\nibv_post_*\nibv_poll_cq\nrdma_*' -- "$cur")) ;;
		--stop-on) COMPREPLY=($(compgen -W $'any\nEINVAL\nENOMEM\nREM_ACCESS_ERR\nLOC_PROT_ERR\nRETRY_EXC_ERR\nRNR_RETRY_EXC_ERR\nWR_FLUSH_ERR\nsend-changed\nread-then-send\ndereg-posted\ncq-overrun\nsq-unsignaled\narm-race\ngone' -- "$cur")) ;;
		--inject) COMPREPLY=($(compgen -W $'ibv_reg_mr:error=ENOMEM\nibv_post_send:error=ENOMEM:when=3\nibv_create_qp:error=ENOMEM\nrdma_connect:delay=5ms\nevent:PORT_ERR:after=1s\ncm:REJECTED:when=2' -- "$cur")) ;;
		*) compopt -o default ;;
		esac
	elif ((i == COMP_CWORD)); then
		if [[ $cur == -* ]]; then
			COMPREPLY=($(compgen -W $'--check\n--check=all\n--check-exit\n--counts\n--only\n--follow\n--inject\n--inject-each\n--json\n--junit\n--must-inject\n--no-data\n--output\n--peer\n--quiet\n--record\n--report\n--seed\n--stop-on\n--stuck\n--suppress\n--timeline\n--within\n--help\n--version' -- "$cur"))
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
