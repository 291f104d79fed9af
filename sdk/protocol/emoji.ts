/** Longer than any emoji there is: families of four with skin tones have 25 UTF-16 units, flags of regions 14. */
const maxLength = 32;
/** A picture, a flag's letter, or a key's combining frame. */
const isPicture = /\p{Extended_Pictographic}|\p{Regional_Indicator}{2}|[0-9#*]\uFE0F?\u20E3/u;

/** Whether a text is one emoji and nothing else, as people see it: a family or a flag is one. */
export function isEmoji(text: string): boolean {
  if (text.length > maxLength || !isPicture.test(text)) return false;
  const segments = new Intl.Segmenter('en', { granularity: 'grapheme' }).segment(text);
  return [...segments].length === 1;
}
