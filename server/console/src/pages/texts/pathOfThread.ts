/** A conversation is between two numbers: the same person may have been written to from several. */
export const pathOfThread = (counterparty: string, number: string): string =>
  `/texts/${counterparty.replace('+', '')}?number=${encodeURIComponent(number)}`;
