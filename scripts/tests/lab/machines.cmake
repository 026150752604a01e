# SPDX-License-Identifier: MIT
#
# Machines of the lab that stay up while ctest runs: one, another one for what takes
# long, a pair, and one beside a network namespace. Tests ask for theirs with in_lab;
# scripts/rxe-lab then starts none of its own where these can do what is asked (RXE_LAB_UP).

string(MD5 lab_name ${CMAKE_BINARY_DIR})
string(SUBSTRING ${lab_name} 0 12 lab_name)
set(lab_name ctest-${lab_name})
set(rxe_lab ${PROJECT_SOURCE_DIR}/scripts/rxe-lab)

# lab_machines(MACHINES KIND NAME LABEL...): KIND and NAME are those of rxe-lab up
function(lab_machines machines kind name)
	# down first: an interrupted ctest has left them up
	add_test(NAME lab-up-${machines} COMMAND sh -c "'${rxe_lab}' down ${name} ${kind} && \
exec '${rxe_lab}' up -t 900 ${kind} ${name}")
	set_tests_properties(lab-up-${machines} PROPERTIES LABELS "${ARGN}"
		FIXTURES_SETUP lab_${machines} SKIP_RETURN_CODE 77 TIMEOUT 900)
	add_test(NAME lab-down-${machines} COMMAND ${rxe_lab} down ${name} ${kind})
	set_tests_properties(lab-down-${machines} PROPERTIES LABELS "${ARGN}"
		FIXTURES_CLEANUP lab_${machines} TIMEOUT 120)
endfunction()
lab_machines(run run ${lab_name} lab all)
lab_machines(run-long run ${lab_name}-long lab long)
lab_machines(pair pair ${lab_name} lab long)
lab_machines(bridge bridge ${lab_name} lab long)

# in_lab(MACHINES TEST...): of the directory that calls it. One command at a time is in the machines:
# so these begin first, or the machines would have nothing to do while others work, and much at the
# end. Not with PROCESSORS, for which ctest reserves nothing: such a test waits until no other is
# left. On a loaded host a machine is slow: the limit is for what stands still.
function(in_lab machines)
	set(name ${lab_name})
	if(machines STREQUAL run-long)
		set(name ${lab_name}-long)
	endif()
	set_tests_properties(${ARGN} PROPERTIES FIXTURES_REQUIRED lab_${machines}
		RESOURCE_LOCK lab_${machines} COST 1000 TIMEOUT 1200)
	set_property(TEST ${ARGN} APPEND PROPERTY ENVIRONMENT RXE_LAB_UP=${name})
endfunction()
