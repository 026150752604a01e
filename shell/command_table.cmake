# Writes the table of all commands: cmake -DTO=FILE.c -DSOURCES=a.c,b.c,... -P command_table.cmake
# A command is a definition that begins so:
#
#	const struct cmd cmd_NAME = {
#		.name = "the words that are typed",
#
# The table is sorted by those words, as cmd_find() in cmd.c needs it.
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
foreach(command ${commands})
	string(REGEX REPLACE ".*\t" "" symbol "${command}")
	string(APPEND declared "extern const struct cmd ${symbol};\n")
	string(APPEND entries "\t&${symbol},\n")
endforeach()
file(WRITE ${TO} "/* Every command, sorted by name: written by command_table.cmake. */
#include <stddef.h>

#include \"command/cmd.h\"

${declared}
const struct cmd *const cmd_table[] = {
${entries}	NULL,
};
")
