/** A thread is identified by both numbers: one counterparty may have several. */
export const pathOfThread = (counterparty: string, number: string): string =>
  `/texts/${counterparty.replace('+', '')}?number=${encodeURIComponent(number)}`;
