export const inspectRequest = (request) => `http://${request.query.get("to")}${request.path}`;
