/* Bounds that the SDK knows too: it carries no zod. */

/** Bytes of the largest file that is taken. */
export const maxFileBytes = 25 * 1024 * 1024;
/** Seconds of the longest voicemail. */
export const longestVoicemail = 300;
/** Bytes of the JSON of the largest realtime request. */
export const maxMessageBytes = 64 * 1024;

export const tooLarge = (bytes: number) =>
  `A message may have ${maxMessageBytes} bytes; this one has ${bytes}.`;
