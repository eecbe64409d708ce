// SPDX-License-Identifier: Apache-2.0

export const inspectRequest = (request) => `http://${request.query.get("to")}${request.path}`;
