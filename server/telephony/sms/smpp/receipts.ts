import type { Receipt } from '../Carrier.ts';
import type { Delivery } from './delivery.ts';

/** The content of a receipt. */
export interface ReadReceipt extends Pick<Receipt, 'state' | 'errorCode' | 'errorMessage'> {
  /** The SMSC's id of the text, in the notation it uses for receipts. */
  id: string | null;
  mark: number | null;
}

const states = [
  'SCHEDULED',
  'ENROUTE',
  'DELIVRD',
  'EXPIRED',
  'DELETED',
  'UNDELIV',
  'ACCEPTD',
  'UNKNOWN',
  'REJECTD',
  'SKIPPED',
] as const;

/**
 * Reads a receipt. The optional parameters are precise, but not every SMSC sends them. The text (`id:… sub:… dlvrd:… stat:… err:…`,
 * appendix B of the specification) is sent by every SMSC.
 * @returns null if the receipt does not identify a text or contains no state
 */
export function readReceipt({ text, receiptedId, messageState, mark }: Delivery): ReadReceipt | null {
  // Some SMSCs end the text with a NUL, which PostgreSQL cannot store.
  const field = (name: string) => new RegExp(`\\b${name}:\\s*([^\\s\\0]{1,65})`, 'i').exec(text ?? '')?.[1];
  const id = receiptedId || field('id') || null;
  const named = field('stat')?.toUpperCase();
  const state = states[messageState ?? -1] ?? states.find((each) => named?.startsWith(each.slice(0, 6)));
  if (!state || (id === null && mark === null)) return null;
  const err = field('err');
  const isBad = err !== undefined && !/^0*$/.test(err);
  return { id, mark, ...outcome(state, `stat:${state}${isBad ? ` err:${err}` : ''}`) };
}

function outcome(state: (typeof states)[number], report: string): Omit<ReadReceipt, 'id' | 'mark'> {
  const failed = (errorCode: string) => ({
    state: 'failed' as const,
    errorCode,
    errorMessage: `The carrier reports ${report}.`,
  });
  switch (state) {
    case 'DELIVRD':
      return { state: 'delivered', errorCode: null, errorMessage: null };
    case 'SCHEDULED':
    case 'ENROUTE':
    case 'ACCEPTD':
      return { state: 'sent', errorCode: null, errorMessage: null };
    case 'EXPIRED':
      return failed('expired');
    case 'UNDELIV':
      return failed('unreachable');
    case 'UNKNOWN':
      return failed('unknown_outcome');
    case 'DELETED':
    case 'REJECTD':
    case 'SKIPPED':
      return failed('rejected');
  }
}

/**
 * All notations in which the answer to the submit may have written this id. Some SMSCs write it in hexadecimal in the answer and in decimal
 * in the receipt, or vice versa, with or without leading zeros.
 */
export function notationsOf(id: string): string[] {
  const found = new Set([id, id.toLowerCase(), id.toUpperCase()]);
  const add = (value: bigint) => {
    const [hex, decimal] = [value.toString(16), value.toString()];
    for (const each of [hex, hex.toUpperCase(), decimal])
      for (const width of [0, 8, 10, 16]) found.add(each.padStart(width, '0'));
  };
  if (/^\d{1,20}$/.test(id)) add(BigInt(id));
  if (/^[0-9a-f]{1,16}$/i.test(id)) add(BigInt(`0x${id}`));
  return [...found];
}
