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
  let id = 'cnv_';
  for (let at = 0; at < length; at++) id += toBase62((digest[at] ?? 0) % 62);
  return id;
}
