"""The system calls that a bot in a box does not get: those that reach into other processes or change the system.

The filter is a program for the kernel (seccomp-BPF), for the processors whose numbers of system calls are listed here.
"""

from __future__ import annotations

import ctypes
import errno
import platform
import struct
import sys

_PR_SET_NO_NEW_PRIVS = 38
_PR_SET_SECCOMP = 22
_SECCOMP_MODE_FILTER = 2
_ALLOW = 0x7FFF0000
_ERRNO = 0x00050000
_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_NUMBER, _ARCH, _FIRST_ARGUMENT = 0, 4, 16
_X32 = 0x40000000
_NEW_NAMESPACES = 0x7E020000
_AF_UNIX = 1

# the name of a call: its numbers on x86_64 and aarch64
_DENIED = {
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "process_madvise": (440, 440),
    "kcmp": (312, 272),
    "pidfd_getfd": (438, 438),
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "mount_setattr": (442, 442),
    "unshare": (272, 97),
    "setns": (308, 268),
    "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265),
    "fanotify_init": (300, 262),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "kexec_load": (246, 104),
    "kexec_file_load": (320, 294),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "reboot": (169, 142),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "acct": (163, 89),
    "quotactl": (179, 60),
    "sethostname": (170, 161),
    "setdomainname": (171, 162),
    "settimeofday": (164, 170),
    "clock_settime": (227, 112),
    "adjtimex": (159, 171),
    "clock_adjtime": (305, 266),
    "syslog": (103, 116),
    "lookup_dcookie": (212, 18),
    "vhangup": (153, 58),
    "shmget": (29, 194),
    "semget": (64, 190),
    "msgget": (68, 186),
    "mq_open": (240, 180),
}
_CLONE, _CLONE3, _SOCKET, _SETSID, _SETPGID = (56, 220), (435, 435), (41, 198), (112, 157), (109, 154)
_ARCHITECTURES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}


def is_known_here() -> bool:
    """Whether there is a filter for this system."""
    return sys.platform == "linux" and platform.machine() in _ARCHITECTURES and sys.maxsize > 2**32


def forbid_calls() -> None:
    """Let this process, and all that it starts, gain no privileges, and fail at the calls that are denied."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "no_new_privs could not be set")
    if not is_known_here():
        return
    program = _program(*_ARCHITECTURES[platform.machine()])
    code = ctypes.create_string_buffer(program, len(program))
    header = struct.pack("HxxxxxxP", len(program) // 8, ctypes.addressof(code))
    if libc.prctl(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, header, 0, 0):
        raise OSError(ctypes.get_errno(), "the filter of system calls could not be set")


def _program(column: int, architecture: int) -> bytes:
    """The filter: each instruction is (code, jump if true, jump if false, constant)."""

    def refuse(number: int) -> tuple[int, int, int, int]:
        return (_RETURN, 0, 0, _ERRNO | number)

    steps = [
        (_LOAD, 0, 0, _ARCH),
        (_EQUAL, 1, 0, architecture),
        refuse(errno.EPERM),
        (_LOAD, 0, 0, _NUMBER),
        (_AT_LEAST, 0, 1, _X32),
        refuse(errno.EPERM),
    ]
    for numbers in _DENIED.values():
        steps += [(_EQUAL, 0, 1, numbers[column]), refuse(errno.EPERM)]
    # clone3 hides its flags from filters; C libraries fall back to clone
    steps += [(_EQUAL, 0, 1, _CLONE3[column]), refuse(errno.ENOSYS)]
    # these succeed without doing anything: all processes of a bot stay in one group, which can be stopped at once
    for call in (_SETSID, _SETPGID):
        steps += [(_EQUAL, 0, 1, call[column]), refuse(0)]
    steps += [
        (_EQUAL, 0, 3, _CLONE[column]),
        (_LOAD, 0, 0, _FIRST_ARGUMENT),
        (_ANY_BIT, 0, 5, _NEW_NAMESPACES),
        refuse(errno.EPERM),
        (_EQUAL, 0, 3, _SOCKET[column]),
        (_LOAD, 0, 0, _FIRST_ARGUMENT),
        (_EQUAL, 1, 0, _AF_UNIX),
        refuse(errno.EPERM),
        (_RETURN, 0, 0, _ALLOW),
    ]
    return b"".join(struct.pack("HBBI", *step) for step in steps)
