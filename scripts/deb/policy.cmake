# SPDX-License-Identifier: MIT
#
# cpack runs this between the installation into its own folder and the packing. Debian's policy asks
# for files that belong to a package, not to an installation: changelog, copyright, and compressed
# manual pages. Each package has its folder.
if(NOT CPACK_GENERATOR STREQUAL "DEB")
	return()
endif()

# The time of the sources, so that the same ones make the same packages.
get_filename_component(sources ${CPACK_RESOURCE_FILE_LICENSE} DIRECTORY)
if(NOT DEFINED ENV{SOURCE_DATE_EPOCH})
	execute_process(COMMAND git -C ${sources} log -1 --format=%ct
		OUTPUT_VARIABLE epoch OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
	if(NOT epoch) # no work tree
		file(TIMESTAMP ${CPACK_RESOURCE_FILE_LICENSE} epoch %s UTC)
	endif()
	set(ENV{SOURCE_DATE_EPOCH} ${epoch})
endif()
set(ENV{LC_ALL} C)
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)

# A version with a hyphen has a revision of Debian's, and its changelog another name.
set(changelog changelog)
if(CPACK_PACKAGE_VERSION MATCHES "-")
	set(changelog changelog.Debian)
endif()

file(READ ${CPACK_RESOURCE_FILE_LICENSE} license)
string(REGEX MATCH "Copyright[^\n]*" copyright "${license}")
string(REGEX REPLACE "^.*Copyright[^\n]*\n+" "" license "${license}")
string(REPLACE "\n\n" "\n.\n" license "${license}")
string(REGEX REPLACE "\n+$" "" license "${license}")
string(REPLACE "\n" "\n " license "${license}")
string(REPLACE "Copyright (c) " "" copyright "${copyright}")

# compress FILE...: without name and time
function(compress)
	execute_process(COMMAND gzip -9nf ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

foreach(package ${CPACK_COMPONENTS_ALL})
	set(tree ${CPACK_TEMPORARY_DIRECTORY}/${package})
	set(doc ${tree}/usr/share/doc/${package})
	file(WRITE ${doc}/${changelog} "${package} (${CPACK_PACKAGE_VERSION}) unstable; urgency=medium

  * This version.

 -- ${CPACK_PACKAGE_CONTACT}  ${date}
")
	file(WRITE ${doc}/copyright
"Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/

Files: *
Copyright: ${copyright}
License: Expat
 ${license}
")
	file(REMOVE ${doc}/LICENSE)
	file(GLOB_RECURSE programs ${tree}/usr/bin/* ${tree}/usr/lib/*.so)
	execute_process(COMMAND strip --remove-section=.comment ${programs} COMMAND_ERROR_IS_FATAL ANY)
	file(GLOB pages ${tree}/usr/share/man/man*/*)
	compress(${doc}/${changelog} ${pages})
	if(EXISTS ${CMAKE_CURRENT_LIST_DIR}/${package}.lintian-overrides)
		configure_file(${CMAKE_CURRENT_LIST_DIR}/${package}.lintian-overrides
			${tree}/usr/share/lintian/overrides/${package} COPYONLY)
	endif()
endforeach()
