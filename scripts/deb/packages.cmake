# SPDX-License-Identifier: MIT
#
# What cpack makes: a .tar.gz of everything, and two packages for Debian and Ubuntu, one for each
# component of the installation. What else Debian asks of a package is added by policy.cmake.
set(RDMASH_MAINTAINER "rdmash maintainers <rdmash@localhost>" CACHE STRING
	"Who answers for the packages: NAME <ADDRESS>")

set(CPACK_GENERATOR DEB TGZ)
set(CPACK_PACKAGE_NAME rdmash)
set(CPACK_PACKAGE_VERSION ${RDMASH_VERSION})
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "") # would stand before the description of each package
set(CPACK_PACKAGE_CONTACT ${RDMASH_MAINTAINER})
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_COMPONENTS_ALL rdmash uroce)
set(CPACK_STRIP_FILES ON)

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_LIST_DIR}/policy.cmake)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
# The first line of a description is the summary; CMake formats the others.
set(CPACK_DEBIAN_PACKAGE_SECTION net)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)

set(CPACK_DEBIAN_RDMASH_PACKAGE_NAME rdmash)
# The two speak with each other, so they are of one version. What follows is loaded, not linked.
set(CPACK_DEBIAN_RDMASH_PACKAGE_DEPENDS
	"uroce (= ${RDMASH_VERSION}), libibverbs1, librdmacm1, libedit2, libpcap0.8")
set(CPACK_DEBIAN_RDMASH_PACKAGE_RECOMMENDS ibverbs-providers)
set(CPACK_DEBIAN_RDMASH_PACKAGE_SUGGESTS # ssh for peers on other hosts; the others for the lab
	"openssh-client, qemu-system-x86, busybox-static, kmod, iproute2, xz-utils, binutils")
set(CPACK_DEBIAN_RDMASH_DESCRIPTION "Interactive shell for RDMA verbs
Keeps devices, protection domains, queue pairs, memory regions and connections
alive between commands, so that a person can step through the protocol by
hand, see each completion and each packet, break things on purpose, and ask
why they failed. Scripts have expectations and exit codes, for tests of
programs that use RDMA. No RDMA hardware is needed.

The package has vtrace, too, which shows the calls of libibverbs and librdmacm
that another program makes, as strace does with system calls.")

set(CPACK_DEBIAN_UROCE_PACKAGE_NAME uroce)
set(CPACK_DEBIAN_UROCE_DESCRIPTION "RDMA device in user space, for any program that uses verbs
Runs a program with a RoCEv2 device of its own: perftest, rping, MPI over UCX,
libfabric and others work unchanged on hosts without RDMA hardware, without
privileges and without a kernel module. It speaks to network cards and to
kernel drivers that speak RoCEv2, and can lose, delay and spoil packets to
test what programs make of that.")
include(CPack)
