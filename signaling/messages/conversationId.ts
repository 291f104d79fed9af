import { hash } from 'node:crypto';
import type { Address } from '../../sdk/protocol/common.ts';
import { isGroup, type Recipient } from '../../sdk/protocol/group.ts';
import { toBase62 } from '../../sdk/protocol/ids.ts';

const length = 24;

/** The id of the conversation of a wallet with another one, which is the same for both, or with a group. */
export function conversationId(one: Address, other: Recipient): string {
  if (isGroup(other)) return other;
  const pair = one < other ? `${one} ${other}` : `${other} ${one}`;
  const digest = hash('sha256', pair, 'buffer');
  return `cnv_${Array.from(digest.subarray(0, length), (byte) => toBase62(byte % 62)).join('')}`;
}
