# SPDX-License-Identifier: MIT
"""mad.py SOURCE DESTINATION HEX: sends 256 bytes to the connection manager of DESTINATION, as RoCEv2
from QP 1 of SOURCE (both IPv4; SOURCE is an address of this host)."""
import socket
import struct
import sys
import zlib

PORT = 4791
UD_SEND_ONLY = 0x64
GSI_QPN = 1
GSI_QKEY = 0x80010000
DONT_FRAGMENT = 0x4000
IP_MTU_DISCOVER, IP_PMTUDISC_DO = 10, 2


def headers(psn, resv8=0):
    """BTH and DETH; resv8 is what the ICRC takes for the byte that switches may change."""
    bth = struct.pack(">BBHBBHI", UD_SEND_ONLY, 0x40, 0xFFFF, resv8, 0, GSI_QPN, psn)
    return bth + struct.pack(">II", GSI_QKEY, GSI_QPN)


def icrc(source, destination, port, mad, psn):
    """Volume 1, annex A17: what may change on the way counts as ones."""
    length = 8 + len(headers(psn)) + len(mad) + 4
    ip = struct.pack(">BBHHHBBH4s4s", 0x45, 0xFF, 20 + length, 0, DONT_FRAGMENT, 0xFF,
                     socket.IPPROTO_UDP, 0xFFFF, socket.inet_aton(source),
                     socket.inet_aton(destination))
    udp = struct.pack(">HHHH", port, PORT, length, 0xFFFF)
    covered = b"\xff" * 8 + ip + udp + headers(psn, 0xFF) + mad
    return struct.pack("<I", zlib.crc32(covered))


def main():
    source, destination, digits = sys.argv[1:]
    mad = bytes.fromhex(digits).ljust(256, b"\0")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as out:
        out.setsockopt(socket.IPPROTO_IP, IP_MTU_DISCOVER, IP_PMTUDISC_DO)
        out.bind((source, 0))
        port = out.getsockname()[1]
        out.sendto(headers(0) + mad + icrc(source, destination, port, mad, 0), (destination, PORT))


main()
