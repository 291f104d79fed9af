/**
 * The version of the realtime protocol. A server supports its own version and the previous one, so that a rolling upgrade works.
 * The version is raised when a message changes in a way that older clients or servers cannot read.
 */
export const protocolVersion = 1;
export const oldestProtocolVersion = 1;
