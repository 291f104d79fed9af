/* Bounds that the SDK knows too: it carries no zod. */

/** Bytes of the largest file that is taken. */
export const maxFileBytes = 25 * 1024 * 1024;
/** Seconds of the longest voicemail. */
export const longestVoicemail = 300;
