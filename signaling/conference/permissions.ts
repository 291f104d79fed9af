import type { PartyId } from '../../sdk/protocol/party.ts';
import type { Executor } from '../../platform/database/Executor.ts';
import type { ConferenceStore } from './ConferenceStore.ts';
import { denied } from './refusals.ts';
import type { MemberRow, RoomRow } from './tables.ts';

/** The creator is always a host, even outside the room. Other hosts are hosts only while they are in it. */
export function isHost({ host }: RoomRow, member: MemberRow | null, wallet: PartyId): boolean {
  return wallet === host || (member?.standing === 'present' && member.role === 'host');
}

/** @throws ParleyError ACCESS_DENIED */
export function mayActAsHost(room: RoomRow, member: MemberRow | null, wallet: PartyId): void {
  if (isHost(room, member, wallet)) return;
  throw denied('not_a_host', 'Only a host of this room may do this: ask a host.');
}

/** Like mayActAsHost(), but inside the transaction that makes the change. */
export async function mustHost(
  store: ConferenceStore,
  executor: Executor,
  room: RoomRow,
  wallet: PartyId,
): Promise<void> {
  mayActAsHost(room, await store.member(room.id, wallet, executor), wallet);
}
