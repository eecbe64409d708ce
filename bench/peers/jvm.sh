# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# What all peers on the JVM share. The script `peer` of one of them sets
#
#   here         its own folder
#   works        the works that it does
#   main_class   the class to run
#   source       the Java file that holds it
#   pom          pins its libraries; a peer without one brings them itself, in a function `bring_libraries DIR`
#   arguments    what the program is told behind PORT and FILES, an array; may be unset
#   notes        what a reader should know, in one line; may be unset
#
# and a function `server_version DIR`, sources this file, and ends with: peer "$@"

: "${here:?}" "${works:?}" "${source:?}" "${main_class:?}"
arguments=(${arguments[@]+"${arguments[@]}"})
needed_jdk=25

# One heap, one collector that soon stops copying what lives long, small object headers, and what io_uring, native
# transports and carried virtual threads ask of the JVM. One carrier for virtual threads: a server works on one thread.
common_flags=(
    -XX:+UseSerialGC -XX:MaxTenuringThreshold=2 -Xms512m -Xmx512m -XX:+UseCompactObjectHeaders
    --enable-native-access=ALL-UNNAMED --sun-misc-unsafe-memory-access=allow
    --add-opens=java.base/java.lang=ALL-UNNAMED
    -Djdk.virtualThreadScheduler.parallelism=1
)

peer() { # CALL [DIR [PORT FILES]]
    case "${1:-}" in
        language) echo Java ;;
        works) echo "$works" ;;
        absent) absent ;;
        build) build "$2" ;;
        version) echo "$(server_version "$2"), $(jdk_version)" ;;
        notes) if [ -n "${notes:-}" ]; then echo "$notes"; fi ;;
        run) run "$2" "$3" "$4" ;;
        *) echo "usage: peer language|works|absent|build DIR|version DIR|notes DIR|run DIR PORT FILES" >&2 && exit 2 ;;
    esac
}

absent() {
    if [ -z "$(find_jdk)" ]; then
        echo "a JDK $needed_jdk is missing (Debian package openjdk-25-jdk-headless)"
    elif ! command -v mvn >/dev/null; then
        echo "Maven is missing (Debian package maven)"
    fi
}

# --- build -------------------------------------------------------------------------------------------------

build() { # DIR
    local dir missing
    missing=$(absent)
    if [ -n "$missing" ]; then echo "$missing" && exit 1; fi
    mkdir -p "$1"
    dir=$(cd "$1" && pwd)
    if [ -z "${pom:-}" ]; then bring_libraries "$dir"; fi
    if up_to_date "$dir"; then return; fi
    rm -rf "$dir/classes" "$dir/.built"
    if [ -n "${pom:-}" ] && [ ! "$dir/lib" -nt "$pom" ]; then copy_libraries "$dir"; fi
    "$(find_jdk)/bin/javac" --release $needed_jdk -proc:none -d "$dir/classes" -cp "$dir/lib/*" "$source" 2>&1 ||
        { echo "javac cannot compile $(basename "$source")" && exit 1; }
    touch "$dir/.built"
}

# A folder's time tells that files came to it or went.
up_to_date() { # DIR
    [ -e "$1/.built" ] && [ -z "$(find "$here" "$source" ${pom:+"$pom"} "$1/lib" -newer "$1/.built" 2>&1)" ]
}

copy_libraries() { # DIR
    local copier=org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies
    local quiet="--enable-native-access=ALL-UNNAMED --sun-misc-unsafe-memory-access=allow"
    rm -rf "${1:?}/lib" "$1/lib.next"
    JAVA_HOME=$(find_jdk) MAVEN_OPTS="$quiet ${MAVEN_OPTS:-}" \
        mvn -q -B -f "$pom" "$copier" -DoutputDirectory="$1/lib.next" </dev/null 2>&1 ||
        { echo "Maven cannot bring the libraries of $(basename "$here")" && exit 1; }
    mv "$1/lib.next" "$1/lib"
}

# --- run ---------------------------------------------------------------------------------------------------

run() { # DIR PORT FILES
    exec "$(find_jdk)/bin/java" "${common_flags[@]}" -cp "$1/classes:$1/lib/*" \
        "$main_class" "$2" "$3" "${arguments[@]}"
}

# The version in the name of a library: the one of netty-common-4.2.0.Final.jar is 4.2.0.Final.
library_version() { # DIR LIBRARY
    local jar
    for jar in "$1/lib/$2"-[0-9]*.jar; do
        jar=${jar##*/"$2"-}
        echo "${jar%.jar}"
    done
}

jdk_version() { echo "JDK $(release_of "$(find_jdk)")"; }

# --- JDK ---------------------------------------------------------------------------------------------------

# Prints the home of the first JDK that is new enough and has a compiler: what the user says, the PATH, the usual
# folders.
find_jdk() {
    local home version
    for home in "${JAVA_HOME:-}" "$(jdk_of_path)" /usr/lib/jvm/* /opt/* /opt/java/* \
        ~/.sdkman/candidates/java/* ~/.jdks/*; do
        if [ ! -x "$home/bin/javac" ]; then continue; fi
        version=$(release_of "$home")
        version=${version%%[.+-]*}
        if [ "${version:-0}" -ge $needed_jdk ]; then echo "$home" && return; fi
    done
}

jdk_of_path() {
    local java
    java=$(command -v java) || return 0
    dirname "$(dirname "$(readlink -f "$java")")"
}

release_of() { sed -n 's/^JAVA_VERSION="\(.*\)"/\1/p' "$1/release" 2>/dev/null; } # HOME
