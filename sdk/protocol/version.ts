/**
 * The version of the realtime protocol. A server speaks its own and the one before, so that a rolling upgrade works;
 * it rises when a message changes in a way an older peer can't read.
 */
export const protocolVersion = 1;
export const oldestProtocolVersion = 1;
