/* Bounds that the SDK knows too: it carries no zod. */

/** Bytes of the largest file that is taken. */
export const maxFileBytes = 25 * 1024 * 1024;
/** Seconds of the longest voicemail. */
export const longestVoicemail = 300;
/** Bytes of the JSON of the largest realtime request. */
export const maxMessageBytes = 64 * 1024;

/** Levels of conditions of type `multi` within each other in a gate. */
export const maxGateDepth = 3;
/** Conditions of a gate that are not of type `multi`. */
export const maxGateLeaves = 20;
/** Token ids of all conditions of a gate together: each one is a read on a chain. */
export const maxGateTokenIds = 200;

export const tooLarge = (bytes: number) =>
  `A message may have ${maxMessageBytes} bytes; this one has ${bytes}.`;
