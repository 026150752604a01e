# SPDX-License-Identifier: MIT
"""Two ranks of MPI pass a message of 256 KiB round ten times. Open MPI by ctypes: it needs no
compiler and no mpi4py."""
import ctypes
import sys

mpi = ctypes.CDLL("libmpi.so.40", ctypes.RTLD_GLOBAL)
world = ctypes.byref(ctypes.c_char.in_dll(mpi, "ompi_mpi_comm_world"))
byte = ctypes.byref(ctypes.c_char.in_dll(mpi, "ompi_mpi_byte"))
rank = ctypes.c_int()
size = 1 << 18

mpi.MPI_Init(None, None)
mpi.MPI_Comm_rank(world, ctypes.byref(rank))
other = 1 - rank.value
buf = ctypes.create_string_buffer(size)
for i in range(10):
    want = bytes([i]) * size
    if rank.value == i % 2:
        buf.raw = want
        mpi.MPI_Send(buf, size, byte, other, i, world)
    else:
        mpi.MPI_Recv(buf, size, byte, other, i, world, None)
        if buf.raw != want:
            sys.exit("not what was sent")
mpi.MPI_Finalize()
