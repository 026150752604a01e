# Writes the table of all commands: cmake -DTO=FILE.c -DSOURCES=a.c,b.c,... -P command_table.cmake
# A command is a definition that begins so:
#
#	const struct cmd cmd_NAME = {
#		.name = "the words that are typed",
#
# The tables are sorted by those words.
cmake_minimum_required(VERSION 3.22)
string(REPLACE "," ";" sources "${SOURCES}")
set(commands)
foreach(source ${sources})
	file(READ ${source} text)
	string(REGEX MATCHALL "\nconst struct cmd cmd_[a-z0-9_]+ = {\n\t\\.name = \"[^\"]+\"" found "${text}")
	string(REGEX MATCHALL "\nconst struct cmd cmd_" begun "${text}")
	list(LENGTH found n)
	list(LENGTH begun all)
	if(NOT n EQUAL all)
		message(FATAL_ERROR "${source}: a struct cmd begins with its .name, on a line of its own")
	endif()
	foreach(definition ${found})
		string(REGEX REPLACE ".*cmd (cmd_[a-z0-9_]+) = {.*name = \"(.+)\"" "\\2\t\\1" command "${definition}")
		list(APPEND commands "${command}")
	endforeach()
endforeach()
list(SORT commands)

set(declared)
set(entries)
set(groups)
set(members)
set(group)
foreach(command ${commands} "\t")
	string(REGEX REPLACE "\t.*" "" name "${command}")
	string(REGEX REPLACE ".*\t" "" symbol "${command}")
	string(REGEX REPLACE " .*" "" first "${name}")
	if(NOT "${first}" STREQUAL "${group}") # the one before is whole
		if(members)
			set(members "(const struct cmd_member[]){\n${members}\t\t{ NULL, NULL } }")
		else()
			set(members NULL)
		endif()
		if(NOT "${group}" STREQUAL "")
			string(APPEND groups "\t{ \"${group}\", ${alone}, ${members} },\n")
		endif()
		set(group "${first}")
		set(alone NULL)
		set(members)
	endif()
	if("${symbol}" STREQUAL "")
		break()
	endif()
	string(APPEND declared "extern const struct cmd ${symbol};\n")
	string(APPEND entries "\t&${symbol},\n")
	if("${name}" STREQUAL "${first}")
		set(alone "&${symbol}")
	else()
		string(REGEX REPLACE "^[^ ]* " "" second "${name}")
		string(APPEND members "\t\t{ \"${second}\", &${symbol} },\n")
	endif()
endforeach()
file(WRITE ${TO} "/* Every command, sorted by name: written by command_table.cmake. */
#include <stddef.h>

#include \"command/cmd.h\"

${declared}
const struct cmd *const cmd_table[] = {
${entries}	NULL,
};

const struct cmd_group cmd_groups[] = {
${groups}	{ NULL, NULL, NULL },
};
")
