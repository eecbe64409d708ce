// SPDX-License-Identifier: Apache-2.0

import { today } from "./#lib/dates.js";

export default {
    setup({ config, log }) {
        this.greetings = config;
        log.info("greetings in " + Object.keys(config).join(", "));
    },
    inspectRequest(request) {
        return this;
    },
    generateResponse(request) {
        const language = request.languages.find((each) => Object.hasOwn(this.greetings, each)) ?? "en";
        return {
            headers: [{ "Content-Type": "text/html; charset=utf-8" }, { "Content-Language": language, Expires: "@60" }],
            body: `<p>${this.greetings[language]} <p>${today(language)}`,
        };
    },
};
