import { hash } from 'node:crypto';
import type { Address } from '../../sdk/protocol/common.ts';
import { toBase62 } from '../../sdk/protocol/ids.ts';

const length = 24;

/** Computes the id of the conversation of two wallets, which is the same for both. */
export function conversationId(one: Address, other: Address): string {
  const pair = one < other ? `${one} ${other}` : `${other} ${one}`;
  const digest = hash('sha256', pair, 'buffer');
  return `cnv_${Array.from(digest.subarray(0, length), (byte) => toBase62(byte % 62)).join('')}`;
}
