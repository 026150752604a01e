#!/bin/sh
# SPDX-License-Identifier: MIT
# A paste of several lines: every command whole and in order, nothing of it a key.
. "$(dirname "$0")/tmux.sh"

demo_only "$1"
start "$@"
await "$prompt"
tab=$(printf '\t')
paste "echo one
foreach i {a b} {
${tab}echo \"in \$i\"
}
busy 100
echo \"two${tab}tabs\"
echo unfini"
await '^one$'
await '^in a$'
await '^in b$'
await '^two +tabs$'
await '> echo unfini$'
shows '^post-' && fail 'a pasted tab completes'
run 'shed'
await '^unfinished$'

# In the middle of a line, and with what would act as a key.
type 'echo ()'
key Left
paste 'inner'
key Enter
await '^\(inner\)$'
await_prompt
paste "$(printf 'echo {a\001\033[Abc}')"
key Enter
await '^a\[Abc$'
await_prompt

# Long: more than a terminal holds at once.
paste "$(i=0; while [ $i -lt 500 ]; do echo "echo line $i of a long paste"; i=$((i + 1)); done)
"
await '^line 499 of a long paste$' 60
i=480
while [ $i -lt 495 ]; do
	i=$((i + 1))
	await_not "^line $i of .*echo"
done
line quit
await_end
