/** The path of a thread. It contains both numbers, because there may be several threads with one counterparty. */
export const pathOfThread = (counterparty: string, number: string): string =>
  `/texts/${counterparty.replace('+', '')}?number=${encodeURIComponent(number)}`;
