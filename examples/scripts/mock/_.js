// SPDX-License-Identifier: Apache-2.0
//
// A mock of a service with items: GET /mock/items, POST /mock/items, GET and DELETE /mock/items/7.
// ?delay=200 delays a response by so many milliseconds, and ?fail=503 responds with that status.

const notFound = { status: 404, body: { error: "There is no such item." } };

export async function generateResponse(request) {
    const delay = Math.min(Number(request.query.get("delay") ?? 0), 5000);
    if (delay > 0) await new Promise((resolve) => setTimeout(resolve, delay));
    const fail = Number(request.query.get("fail") ?? 0);
    if (fail >= 400 && fail <= 599) return { status: fail, body: { error: "as requested" } };

    const [, , name, id] = request.path.split("/");
    if (name !== "items") return null; // the next handler, which has no such path either
    const ids = kv.get("items") ?? [];
    if (id === undefined) {
        if (request.method === "GET") return { body: ids.map((each) => kv.get(`item ${each}`)) };
        if (request.method !== "POST") return { status: 405, headers: { Allow: "GET, POST" } };
        const item = { ...(await request.json()), id: kv.increment("lastItem") };
        kv.set(`item ${item.id}`, item);
        kv.set("items", [...ids, item.id]);
        return { status: 201, headers: { Location: `/mock/items/${item.id}` }, body: item };
    }
    const item = kv.get(`item ${id}`);
    if (item === undefined) return notFound;
    if (request.method === "GET") return { body: item };
    if (request.method !== "DELETE") return { status: 405, headers: { Allow: "GET, DELETE" } };
    kv.delete(`item ${id}`);
    kv.set("items", ids.filter((each) => String(each) !== id));
    return { status: 204 };
}
