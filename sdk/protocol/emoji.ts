/** The maximum length in UTF-16 units, which no emoji exceeds: a family of four with skin tones has 25, a regional flag 14. */
const maxLength = 32;
/** A pictograph, the two letters of a flag, or a keycap. */
const emojiPart = /\p{Extended_Pictographic}|\p{Regional_Indicator}{2}|[0-9#*]\uFE0F?\u20E3/u;

/** Whether a text is exactly one emoji as displayed. A family or a flag is one emoji. */
export function isEmoji(text: string): boolean {
  if (text.length > maxLength || !emojiPart.test(text)) return false;
  const segments = new Intl.Segmenter('en', { granularity: 'grapheme' }).segment(text);
  return [...segments].length === 1;
}
