#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles a seccomp profile of Docker's for a container without capabilities, as `bwrap --seccomp` reads it.

    seccomp_filter.py PROFILE [--without NAME,...] >FILTER

It needs Debian's python3-seccomp. System calls that libseccomp does not know are left out, as runc does it.
"""

import json
import platform
import sys

import seccomp

ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}
ACTIONS = {"SCMP_ACT_ALLOW": lambda _: seccomp.ALLOW, "SCMP_ACT_ERRNO": seccomp.ERRNO}


def applies(rule):
    includes, excludes = rule.get("includes", {}), rule.get("excludes", {})
    architecture = ARCHITECTURES[platform.machine()]
    if includes.get("caps") or architecture in excludes.get("arches", []):
        return False
    return architecture in includes.get("arches", [architecture])


def argument(test):
    comparison = getattr(seccomp, test["op"].removeprefix("SCMP_CMP_"))
    more = [test.get("valueTwo", 0)] if comparison == seccomp.MASKED_EQ else []
    return seccomp.Arg(test["index"], comparison, test["value"], *more)


def compiled(profile, without):
    otherwise = profile.get("defaultErrnoRet", 1)
    result = seccomp.SyscallFilter(ACTIONS[profile["defaultAction"]](otherwise))
    for rule in filter(applies, profile["syscalls"]):
        action = ACTIONS[rule["action"]](rule.get("errnoRet", otherwise))
        for name in rule["names"]:
            if name in without or seccomp.resolve_syscall(seccomp.Arch(), name) < 0:
                continue
            try:
                result.add_rule(action, name, *map(argument, rule.get("args", [])))
            except OSError as e:  # the default, or a call of another architecture
                print(f"{name}: {e}", file=sys.stderr)
    return result


def main(file, option="", names=""):
    with open(file) as text:
        profile = json.load(text)
    if option not in ("", "--without"):
        sys.exit(__doc__)
    compiled(profile, names.split(",")).export_bpf(sys.stdout.buffer)


if __name__ == "__main__":
    main(*sys.argv[1:])
