// SPDX-License-Identifier: Apache-2.0
//
// What a servlet does: GET shows the entries and a form, POST adds an entry, other methods are refused. The entries are
// in kv, which all contexts share.

const MOST = 100;

const escaped = (text) => text.replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);

function doGet() {
    const items = (kv.get("guests") ?? []).map((each) => `<li>${escaped(each)}`).join("");
    return {
        headers: { "Content-Type": "text/html; charset=utf-8" },
        body: `<!doctype html><title>Guests</title><ul>${items}</ul><form method="post"><input name="name"><button>Sign</button></form>`,
    };
}

async function doPost(request) {
    const name = new URLSearchParams(await request.text()).get("name")?.trim();
    if (!name) throw Object.assign(new Error("The name is missing."), { status: 400 });
    kv.set("guests", [...(kv.get("guests") ?? []), name.slice(0, 80)].slice(-MOST));
    return Response.redirect(request.path, 303);
}

export function generateResponse(request) {
    switch (request.method) {
        case "GET":
        case "HEAD":
            return doGet();
        case "POST":
            return doPost(request);
        default:
            return { status: 405, headers: { Allow: "GET, HEAD, POST" } };
    }
}
