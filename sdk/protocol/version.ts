/**
 * The version of the realtime protocol. A server supports its own version and the previous one, so that a rolling upgrade works.
 * The version rises when a message changes in a way that an older peer cannot read.
 */
export const protocolVersion = 1;
export const oldestProtocolVersion = 1;
