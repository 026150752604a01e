# SPDX-License-Identifier: MIT
#
# Machines of the lab that stay up while ctest runs: one, a pair, and one beside a network
# namespace. Tests ask for theirs with in_lab; scripts/rxe-lab then starts none of its own where
# these can do what is asked (RXE_LAB_UP).

string(MD5 lab_name ${CMAKE_BINARY_DIR})
string(SUBSTRING ${lab_name} 0 12 lab_name)
set(rxe_lab ${PROJECT_SOURCE_DIR}/scripts/rxe-lab)

foreach(kind run pair bridge)
	set(labels lab)
	if(kind STREQUAL bridge) # the quick tier does without
		list(APPEND labels all)
	endif()
	# down first: an interrupted ctest has left them up
	add_test(NAME lab-up-${kind} COMMAND sh -c "'${rxe_lab}' down ctest-${lab_name} ${kind} && \
exec '${rxe_lab}' up -t 900 ${kind} ctest-${lab_name}")
	set_tests_properties(lab-up-${kind} PROPERTIES LABELS "${labels}" FIXTURES_SETUP lab_${kind}
		SKIP_RETURN_CODE 77 TIMEOUT 300)
	add_test(NAME lab-down-${kind} COMMAND ${rxe_lab} down ctest-${lab_name} ${kind})
	set_tests_properties(lab-down-${kind} PROPERTIES LABELS "${labels}" FIXTURES_CLEANUP lab_${kind}
		TIMEOUT 60)
endforeach()

# in_lab(KIND TEST...): of the directory that calls it. One command at a time is in the machines: so
# these begin first, or the machines would have nothing to do while others work, and much at the end.
# Not with PROCESSORS, for which ctest reserves nothing: such a test waits until no other is left.
# On a loaded host a machine is slow: the limit is for what stands still.
function(in_lab kind)
	set_tests_properties(${ARGN} PROPERTIES FIXTURES_REQUIRED lab_${kind}
		RESOURCE_LOCK lab_${kind} COST 1000 TIMEOUT 1200)
	set_property(TEST ${ARGN} APPEND PROPERTY ENVIRONMENT RXE_LAB_UP=ctest-${lab_name})
endfunction()
