#!/bin/bash
# SPDX-License-Identifier: MIT
# prompt.sh RDMASH: a learner at a terminal of 80x24 takes the first lesson, with mistakes,
# and it is recorded as done. Then every lesson, with each command copied exactly from the screen,
# and each question answered wrongly first. Last, a lesson whose port is taken.
# shellcheck source-path=SCRIPTDIR source=../../../shell/tests/tty/tmux.sh
. "$(dirname "$0")/../../../shell/tests/tty/tmux.sh"
rdmash=$1

# Text that can be typed has a colour of its own: bold cyan. Prints the lines since the last prompt with
# a command that have it.
commands() {
	colors | awk '/^(\033\[[0-9;]*m)*(rdmash|uroce0)[^>]*> ./ { n = 0 } /\033\[1m\033\[36m|\033\[1;36m/ { line[n++] = $0 } END { for (i = 0; i < n; i++) print line[i] }' |
		sed 's/\x1b\[[0-9;]*m//g; s/^    //; s/ *$//'
}
typed() {
	type "$1"
	key Enter
}
# says TEXT: somewhere on the screen, as it is.
says() {
	screen | grep -qF -- "$1"
}
await_text() {
	until_so 60 says "$1" || fail "no '$1'"
}

columns=80
rows=24
mkdir "$dir/lessons.d"
start "$rdmash"
await "$prompt"
typed 'lesson 1'
await_text 'Make one.'
! says rdma_ || fail 'a call is told that the learner has not asked for'
for looking in devices 'explain PD' '!true' 'expr 4096 - 7' ''; do
	typed "$looking"
done
typed cc
await_text "(not yet: it waits for 'pd'; 'lesson hint' shows the command"
typed pd
await_text 'Make a second one, with the name elsewhere'
[ "$(screen | grep -c '(not yet:')" = 1 ] || fail 'who only looks is told that it is not the step'
typed lesson
await_text '> 1      What a protection domain is'
await_text "lesson 1 is on, at step 4 of 8: 'lesson hint' shows that again"
typed '!clear'
for word in 'lesson hint' hint ok next; do
	typed "$word"
	await_text 'Make a second one'
	await_prompt
	typed '!clear'
done
typed 'pd -name nowhere'
await_text "(not yet: nothing is named elsewhere; 'lesson hint'"
typed 'pd -na elsewhere'
await_text 'Register 4096 bytes'
typed 'reg 4096 -pd nowhere -name buf'
await_text "(not yet: pd of buf is 'nowhere', and is to be 'pd0';"
await_prompt
typed '!clear'
typed 'lesson hint'
await '^    destroy buf$'
await '^    reg 4096 -pd pd0 -name buf$'
typed 'destroy buf'
typed 'reg 4096 -pd pd0 -name buf'
await_text 'the message names'
typed 'destroy pd0 -cascade'
await_text "(not yet: it should have failed, but it succeeded; 'lesson hint'"
typed 'destroy pd0'
await_text 'no object named pd0'
await_prompt
typed '!clear'
typed 'lesson hint'
await '^    lesson again$'
typed again
await_text 'What you did before, done again:'
await_prompt
typed 'destroy pd0'
await_text '(type a number)'
await '^uroce0 question 1-3> *$'
typed yes
await_text '(the question waits: type a number, 1 to 3'
await_prompt
typed '!clear'
await_prompt
typed pd
await_text "(the question waits: type a number, 1 to 3; 'lesson hint' shows it again"
await_prompt
key Tab
await '^1 +2 +3 +lesson *$'
typed '2.'
await_text 'No: the key alone is not enough.'
typed 9
await_text 'there are the choices 1 to 3'
typed 1
await_text 'This lesson is done.'
typed lesson
await_text '  1 done What a protection domain is'
[ "$(tail -n 1 "$dir/state/rdmash/lessons")" = protection-domain ] || fail 'it is not kept by name'
typed yes
await_text 'Memory regions: keys and rights'
typed 'cq'
await_text "(not yet: the lesson begins with an empty table; 'lesson hint'"
typed 'lesson skip'
await_text 'Register 4096 bytes and call them buf.'
typed 'lesson skip'
await_text '(skipped, though later steps may need it:)'
typed 'lesson 1'
await_text '(lesson 2 is left at step 3 of '
typed 'lesson 99'
await_text 'there is no lesson 99'
typed '!clear'
typed 'lesson stop'
await_text "(lesson 1 is left at step "
await_text "'lesson 1' goes on there)"
await_prompt
typed '!clear'
typed 'destroy -all'
typed 'lesson restart 2'
await_text 'Memory regions: keys and rights'
await_prompt
typed 'reg 64 -access remote-write'
await_text 'EINVAL'
await_prompt
typed '!clear'
typed 'explain'
await_text 'without LOCAL_WRITE, which it needs'
await_prompt
typed 'reg 4096 -name buf'
await_text 'Put some text'
typed 'mem put buf 0 "hello, memory"'
await_text 'mem dump shows bytes'
await_prompt

# A lesson that is left goes on there: in this session with what is there ...
typed '!clear'
typed 'lesson stop'
await_text "(lesson 2 is left at step 4 of "
typed 'lesson'
await_text ' 2      Memory regions: keys and rights  (at step 4 of '
typed '!clear'
typed 'lesson 2'
await_text "(from step 4 of "
await_text "'lesson restart' begins it again)"
await_text 'mem dump shows bytes'
! says 'done again' || fail 'what is there is made again'
typed 'mem dump buf 0 32'
await_text '(type a number)'
line quit
await_text "'lesson 2' goes on there)"
await_end
stop
# ... and in the next one with what was done before, done again.
start "$rdmash"
await '^Left at step 5: lesson 2\.   Commands: help\.'
await_prompt
typed 'lesson next'
await_text '    mem put buf 0 "hello, memory"'
await_text '(type a number)'
typed '3'
await_text 'REMOTE_WRITE needs LOCAL_WRITE'
typed 'mem get buf 0 5'
await_text 'hello'
await_prompt
typed 'lesson restart'
await_text '    destroy -all'
typed 'destroy -all'
await_text 'Register 4096 bytes and call them buf.'
typed 'lesson stop'
await_text "(lesson 2 is left at step 2 of "
await_prompt
echo 'ok: a lesson goes on where it was left'

# An event of what was before may come at any time.
clean() {
	typed '!clear'
	until_so 60 is_clean || fail 'the screen is not cleared'
}
is_clean() {
	! says lesson && at_prompt
}
# said TEXT: since the last line that was typed. Events may have come behind it.
said() {
	screen | awk '/^(rdmash|uroce0)[^>]*> ./ { text = "" } { text = text "\n" $0 } END { print text }' |
		grep -qF -- "$1"
}
# Takes one step of the lesson that is on. 1: it is over.
step() {
	local line number lines

	if said '(type a number)'; then
		for number in 1 2 3 4; do
			run "$number"
			said '(try another number)' || return 0
		done
		fail 'none of the numbers is right'
	fi
	mapfile -t lines < <(commands)
	[ ${#lines[@]} -gt 0 ] || fail 'nothing to type is shown'
	[[ ${lines[0]} != lesson\ * ]] || return 1
	for line in "${lines[@]}"; do
		run "$line"
		! says '(not yet:' || fail "'$line' does not do it"
	done
}

# The lesson that is on goes on where it is, though its objects are gone.
leave_and_return() {
	! says 'This lesson is done.' || return 0
	clean
	run 'lesson stop'
	run 'destroy -all'
	clean
	run "lesson $i"
	! says 'error:' || fail "lesson $i: not all of it can be done again"
	run 'lesson'
	! says 'at step 1 of' || fail "lesson $i does not go on where it was left"
	run 'lesson hint'
}

n=$(sh -c '"$1" -q -c "echo [llength [lesson]]"' sh "$rdmash" 2>/dev/null)
for ((i = 1; i <= n; i++)); do
	clean
	run "lesson $i"
	steps=0
	while ! says 'This lesson is done.'; do
		step || break
		steps=$((steps + 1))
		[ $steps = 4 ] && leave_and_return
	done
	says 'This lesson is done.' || fail "lesson $i does not end"
	echo "ok: lesson $i as it stands on the screen"
done

# The port that lessons begin with is taken: another one.
run 'destroy -all'
run 'listen 7471 -name mine'
clean
run 'lesson 4'
await_text 'destroy -all'
run 'lesson skip'
await_text 'listen 7472 -accept -name door'
echo 'ok: another port'

# A name with a letter missing explains nothing.
run 'destroy -all'
run 'lesson 8'
run 'lesson skip'
run 'lesson skip'
await_text 'What does a status mean?'
run 'explain RETRY_EXC_ER'
await_text '(not yet'
run 'explain RETRY_EXC_ERR'
await_text 'Make an error of your own'
echo 'ok: a typing error is no answer'

# A step wants what later steps need, and says how to begin it again; several polls are as good as one.
run 'lesson stop'
run 'destroy -all'
clean
run 'lesson 5'
run 'reg 4096 -name window'
run 'listen 7471 -share window -name door'
await_text "(not yet: accepts of door is '0', and is to be '1'"
run 'lesson hint'
await_text 'destroy door'
run 'destroy door'
run 'listen 7471 -share window -accept -name door'
await_text 'The client connects.'
run 'lesson stop'
run 'destroy -all'
clean
run 'lesson 6'
run 'reg 4096 -name window'
run 'listen 7471 -share window -accept -name door'
run 'connect 127.0.0.1 7471 -name c'
run 'reg 64 -name buf'
await_text '(not yet: the CQ of c has no channel: connect takes -events'
run 'lesson hint'
await_text 'destroy c -cascade'
run 'destroy c -cascade'
run 'connect 127.0.0.1 7471 -name c -events'
await_text 'Write three times'
run 'foreach i {1 2 3} { post write buf -len 8 -wr-id $i }'
run 'poll'
await_text "(not yet: wr_id is '1', and is to be '3'"
run 'poll -all'
await_text 'In which order do the completions'
echo 'ok: what later steps need, and every way that does it'

# A region that is too small for later steps, and in use, is in the way.
run 'lesson stop'
run 'destroy -all'
clean
run 'lesson restart 5'
run 'reg 64 -name window'
run 'listen 7471 -share window -accept -name door'
await_text '(not yet: window has 64 bytes, and is to have 4096;'
clean
run 'lesson hint'
mapfile -t lines < <(commands)
[ "${lines[0]}" = 'destroy window -cascade' ] || fail "'lesson hint' begins with ${lines[0]}"
for line in "${lines[@]}"; do run "$line"; done
await_text 'The client connects.'
echo 'ok: a region that is too small'

# Whatever was typed, everything can be made as it was before the step: what it needs is gone, or
# something else stands in the way.
run 'lesson stop'
run 'destroy -all'
clean
run 'lesson restart 5'
run 'reg 4096 -name window'
run 'listen 7471 -share window -accept -name door'
run 'connect 127.0.0.1 7471 -name c'
await_text 'Address and key came as private data'
run 'destroy -all'
clean
for _ in 1 2; do
	run 'binary scan [private-data c] WuIu remote rkey'
done
await_text "again' makes all objects anew"
clean
run 'lesson again'
await_text 'What you did before, done again:'
await_text '    destroy -all'
await_text 'Address and key came as private data'
run 'binary scan [private-data c] WuIu remote rkey'
run '3'
await_text 'register some, and put a text into it'
run 'reg 4096 -name buf'
run 'mem put buf 0 "hello"'
await_text 'Write it.'
run 'post send -text "not asked for" -qp [get c qp]'
run 'post write buf -len 5'
await_text 'Take it from there.'
run 'poll -within 100ms'
clean
run 'lesson again'
await_text 'Take it from there.'
run 'poll'
await_text 'Both ends are in this program'
echo 'ok: a step that cannot be done as things are'
stop

# A lesson of one's own: a task with hints, points, and what is kept of it. A step with the name of
# an object that is there says so.
own=$dir/lessons.d/own.rdma
cat >"$own" <<'EOF'
title "A lesson of one's own"
task {
Bring a queue pair named q to INIT.
} {
	qp create -name q
	modify-qp INIT q -fill
} {[is q state INIT]} -points 5 -hints { {A QP begins in RESET.} {See help modify-qp.} }
try {
Make a completion queue.
} {
	cq
} {[did cq] && 0}
ask {Is it so?} { "yes" { Right. } "no" { No. } } 1 -points 2
say { That was all. }
EOF
start env RDMASH_LESSONS="$dir/lessons.d" "$rdmash"
await "$prompt"
typed 'lesson'
await_text "A lesson of one's own"
await_text ' 1 done What a protection domain is'
typed '!clear'
typed "lesson $own"
await_text '(5 points)'
! says 'modify-qp' || fail 'the solution of a task is shown'
typed 'qp create -name q'
await_prompt
typed 'modify-qp RTR q'
await_text "(not yet: state of q is 'RESET', and is to be 'INIT'; 'lesson hint' shows a"
typed 'lesson hint'
await_text 'hint: A QP begins in RESET.'
typed 'lesson hint'
await_text 'hint: See help modify-qp.'
! says '    modify-qp INIT q' || fail 'the solution comes before the last hint'
typed 'lesson hint'
await_text '    modify-qp INIT q -fill'
typed 'modify-qp INIT q -fill'
await_text 'Make a completion queue.'
typed '!clear'
typed 'cq'
await_text '(not yet: this is a line of the step, and what is to come of it is not so: [did'
typed 'lesson skip'
await_text '(2 points)'
typed '2'
await_text '(try another number)'
typed '1'
await_text 'This lesson is over, with steps skipped. 2 of 7 points;'
typed '!clear'
typed 'lesson'
await_text "A lesson of one's own  (over, with steps skipped)"
typed '!clear'
typed 'lesson -progress'
await '/own +1 task .* wrong 1  hints 3  1 of 5$'
await '/own +2 try .* wrong 1  hints 0  skipped$'
await '/own +3 ask .* wrong 1  hints 0  1 of 2$'
# Hints cost points, also of a task that is begun again; its solution is not shown for that.
typed 'destroy -all'
typed 'fault call ibv_create_qp -error ENOMEM'
await_text '0 hit'
typed '!clear'
typed "lesson restart $own"
await_text '(5 points)'
typed 'lesson hint'
await_text 'hint: A QP begins in RESET.'
typed '!clear'
typed 'lesson again'
await_text 'What you did before, done again:'
await_text '(5 points)'
typed 'qp create -name q'
await_prompt
typed 'modify-qp INIT q -fill'
await_text 'Make a completion queue.'
typed '!clear'
typed 'lesson again'
await_text '    (the solution of step 1)'
await_text 'Make a completion queue.'
! says 'modify-qp' || fail 'lesson again shows the solution of a task'
typed 'get q state'
await_text INIT
typed '!clear'
typed 'lesson -progress'
await '/own +1 task .* hints 1  4 of 5$'
echo "ok: a lesson of one's own"
stop

# Back after the first lesson.
echo protection-domain >"$dir/state/rdmash/lessons"
start "$rdmash"
await '^Next: lesson 2\.   Commands: help\.'
echo 'ok: the banner names the next lesson'
stop
