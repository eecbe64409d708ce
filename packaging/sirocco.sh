#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Runs Sirocco with the JVM that lies beside it. SIROCCO_JAVA_OPTS holds further options for the JVM, for example -Xmx4g.
PATH=${PATH:-/usr/bin}:/usr/bin:/bin
home=$(readlink -f "$0")
home=${home%/bin/sirocco}
lib=$home/lib

# With so few cores, threads that collect beside the loops only take turns with them.
case " ${SIROCCO_JAVA_OPTS:-}" in
    *' -XX:+Use'*GC*) collector= ;; # the user has said which
    *) if [ "$(nproc 2>/dev/null || echo 1)" -le 2 ]; then collector=-XX:+UseSerialGC; else collector=; fi ;;
esac

# A controller discards its scripts instead.
case ${1:-} in
    home) full=-XX:-ExitOnOutOfMemoryError ;;
    *) full= ;;
esac

# shellcheck disable=SC2086 # several options stand in one variable
exec "$home/runtime/bin/java" "@$lib/java.args" $collector $full -XX:AOTCache="$lib/sirocco.aot" \
    -Dsirocco.aot="$lib/sirocco.aot" -Dsirocco.launcher="$home/bin/sirocco" ${SIROCCO_JAVA_OPTS:-} -jar "$lib/sirocco.jar" "$@"
