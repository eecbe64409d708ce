// SPDX-License-Identifier: Apache-2.0
//
// An A/B split: every other new client gets page B. A cookie keeps clients on the page that they have seen.

const pages = { a: "<h1>Page A</h1>", b: "<h1>Page B</h1>" };

export function generateResponse(request) {
    const known = request.cookies.variant;
    const variant = Object.hasOwn(pages, known ?? "") ? known : kv.increment("clients") % 2 === 1 ? "a" : "b";
    return {
        headers: {
            "Content-Type": "text/html; charset=utf-8",
            "Set-Cookie": `variant=${variant}; Path=/; Max-Age=2592000; SameSite=Lax`,
            "Cache-Control": "private",
        },
        body: pages[variant],
    };
}
