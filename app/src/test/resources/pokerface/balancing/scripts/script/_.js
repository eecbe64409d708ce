// SPDX-License-Identifier: Apache-2.0

export function inspectRequest(request) {
    const upstream = kv.increment("turns") % 2 ? "one" : "two";
    return `http://${upstream}${request.path}${request.url.search}`;
}
