/* Limits that the SDK uses too. This file must not import zod, because the SDK's bundle must not contain zod. */

/** The maximum size of a file in bytes. */
export const maxFileBytes = 25 * 1024 * 1024;
/** The maximum duration of a voicemail in seconds. */
export const longestVoicemail = 300;
/** The maximum size of the JSON of a realtime request in bytes. */
export const maxMessageBytes = 64 * 1024;

/** The maximum number of wallets whose names one request reads. */
export const maxPeople = 100;

/** The maximum number of levels to which `multi` conditions may be nested in a gate. */
export const maxGateDepth = 3;
/** The maximum number of conditions of a gate, not counting `multi`. */
export const maxGateLeaves = 20;
/** The maximum number of token ids of all conditions of a gate together. Each one requires a read from a chain. */
export const maxGateTokenIds = 200;

export const tooLarge = (bytes: number) =>
  `A message may have ${maxMessageBytes} bytes; this one has ${bytes}.`;

/** The maximum number of chat messages in the answer to a request to watch a stream. */
export const chatAtStart = 50;
