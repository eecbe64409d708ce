// SPDX-License-Identifier: Apache-2.0
//
// A page in the language that the client prefers. A program may bring greetings of its own (options.config).

let greetings = { en: "Hello, world!", es: "¡Hola, mundo!", fr: "Bonjour, le monde !" };

export function setup(context) {
    greetings = context.config.greetings ?? greetings;
}

export function generateResponse(request) {
    const language = request.languages.map((tag) => tag.split("-")[0]).find((each) => Object.hasOwn(greetings, each)) ?? "en";
    const today = new Intl.DateTimeFormat(language, { dateStyle: "full", timeZone: "UTC" }).format(new Date());
    return {
        headers: { "Content-Type": "text/html; charset=utf-8", "Content-Language": language, Vary: "Accept-Language" },
        body: `<!doctype html><html lang="${language}"><title>Hello</title><p>${greetings[language]}<p>${today}</html>`,
    };
}
