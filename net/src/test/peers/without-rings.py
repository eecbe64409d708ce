# SPDX-License-Identifier: Apache-2.0
"""Runs a program below a filter of system calls that refuses io_uring_setup(2).

    without-rings.py eperm|enosys|kill COMMAND [ARGUMENTS]

eperm is what Docker's default profile does, enosys what some others do; kill ends the process.
"""
import ctypes
import os
import struct
import sys

IO_URING_SETUP = 425
PR_SET_NO_NEW_PRIVS = 38
PR_SET_SECCOMP = 22
SECCOMP_MODE_FILTER = 2
ALLOW = 0x7FFF0000
ACTIONS = {"eperm": 0x00050000 | 1, "enosys": 0x00050000 | 38, "kill": 0x80000000}

action = ACTIONS[sys.argv[1]]
program = b"".join(
    struct.pack("HBBI", *line)  # struct sock_filter: code, jump if true, jump if false, k
    for line in [
        (0x20, 0, 0, 0),  # load the number of the call
        (0x15, 0, 1, IO_URING_SETUP),  # equal: go on, else skip one
        (0x06, 0, 0, action),
        (0x06, 0, 0, ALLOW),
    ]
)
memory = ctypes.create_string_buffer(program)
filter_ = struct.pack("HxxxxxxP", len(program) // 8, ctypes.addressof(memory))
libc = ctypes.CDLL(None, use_errno=True)
for arguments in ((PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), (PR_SET_SECCOMP, SECCOMP_MODE_FILTER, filter_, 0, 0)):
    if libc.prctl(*(ctypes.c_ulong(a) if isinstance(a, int) else a for a in arguments)) != 0:
        sys.exit("prctl: " + os.strerror(ctypes.get_errno()))
os.execvp(sys.argv[2], sys.argv[2:])
