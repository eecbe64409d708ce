// SPDX-License-Identifier: Apache-2.0

export function generateResponse(request) {
    const number = parseInt(request.id.split("-").at(-1), 36);
    return { headers: { "Content-Type": "text/html" }, body: number % 2 ? "<h1>A</h1>" : "<h1>B</h1>" };
}
