// SPDX-License-Identifier: Apache-2.0

export function today(language) {
    return new Intl.DateTimeFormat(language, { dateStyle: "full", timeZone: "UTC" }).format(new Date(0));
}
