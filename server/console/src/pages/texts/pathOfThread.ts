/** The path of a thread. It contains both numbers, because there may be several threads with one counterparty. */
export const pathOfThread = (counterparty: string, number: string): string =>
  `/texts/${encodeURIComponent(counterparty.replace('+', ''))}?number=${encodeURIComponent(number)}`;

/** The counterparty in a path. Other text than a number is the short code or the name of a sender without one. */
export function counterpartyIn(part: string): string {
  // The router leaves the characters encoded that have a meaning in URLs.
  const text = part.replace(/%[0-7][0-9A-F]/g, decodeURIComponent);
  return /^[1-9]\d{6,14}$/.test(text) ? `+${text}` : text;
}
