import { ParleyError } from '../../sdk/protocol/errors.ts';
import type { PartyContext } from '../socket/RequestContext.ts';
import type { Executor } from '../../platform/database/Executor.ts';
import type { Publishable } from '../../sdk/protocol/guests.ts';
import type { PartyId } from '../../sdk/protocol/party.ts';
import { source as sources, type Source } from '../../sdk/protocol/media.ts';
import type { Rights } from '../media/MediaScope.ts';
import type { ConferenceStore } from './ConferenceStore.ts';
import { denied, notAHost, notGranted, notInside, over } from './refusals.ts';
import type { MemberRow, RoomRow } from './tables.ts';

/** Whether a membership is that of the sender. A guest of another room may have the same identity, but has another token. */
export const isOwn = (member: MemberRow, { wallet, guest }: PartyContext): boolean =>
  member.wallet === wallet && member.tokenId === (guest?.tokenId ?? null);

/**
 * The creator is always a host, even outside the room. Other hosts are hosts only while they are in the room, its parent or one of its
 * breakouts.
 * @param executor the transaction that makes the change, or the one of the store for a check before it
 * @throws ParleyError ACCESS_DENIED
 */
export async function mustHost(
  store: ConferenceStore,
  executor: Executor,
  room: RoomRow,
  context: PartyContext,
): Promise<void> {
  if (context.wallet === room.host) return;
  const hosts = await store.hostsOf(room, executor);
  if (!hosts.some((host) => isOwn(host, context))) throw notAHost();
}

/** Whether wallets enter without an invitation, and without being admitted by a host. */
export const isOpen = ({ settings }: RoomRow): boolean => !settings.locked && !settings.waitingRoom;

/** Whether a wallet may see the participants: it is in the room itself, or could enter without being admitted by a host. */
export function mayKnow(room: RoomRow, wallet: PartyId, member: MemberRow | null): boolean {
  if (wallet === room.host || member?.standing === 'present') return true;
  if (member?.standing === 'removed') return false;
  if (room.gate !== null) return false;
  return member?.isInvited === true || isOpen(room);
}

/** Why a participant may not publish a source; null if it may. */
export function publishingRefusal(
  room: RoomRow,
  { role, grants }: MemberRow,
  source: Source,
): ParleyError | null {
  if (grants && !grants.canPublish.includes(grantFor(source))) return notGranted();
  if (role === 'viewer') return denied('viewer', 'Viewers cannot publish: ask a host to change your role.');
  const isScreen = source === 'screen' || source === 'screen-audio';
  if (isScreen && !room.settings.allowScreenShare && role !== 'host')
    return denied(
      'screen_share_off',
      'Only hosts can share their screen in this room: ask a host to turn screen sharing on.',
    );
  if (source === 'camera' && !room.video)
    return denied('video_off', 'This room has no video: publish audio only.');
  const isSound = source === 'microphone' || source === 'screen-audio';
  if (isSound && !room.audio) return denied('audio_off', 'This room has no audio: publish video only.');
  return null;
}

/** The sources that a participant may not publish. */
export const refusedSources = (room: RoomRow, member: MemberRow): Source[] =>
  sources.options.filter((source) => publishingRefusal(room, member, source) !== null);

/** What a participant may send and receive. */
export const rightsOf = (room: RoomRow, member: MemberRow): Rights => {
  const { wallet, revision, socket, muted, hushed, grants } = member;
  return {
    wallet,
    revision,
    socket,
    refused: refusedSources(room, member),
    muted: [...(muted ? (['microphone'] as const) : []), ...(hushed ? (['screen-audio'] as const) : [])],
    receives: grants?.canSubscribe !== false,
  };
};

/** The grant that a source needs. The audio of a screen belongs to the screen. */
const grantFor = (source: Source): Publishable => (source === 'screen-audio' ? 'screen' : source);

/**
 * @param member the wallet's membership in the room
 * @throws ParleyError CONFLICT when the room has ended or another device of the wallet is in it, NOT_FOUND when the wallet is not in it
 */
export function mustBeInside(
  { socketId }: Pick<PartyContext, 'socketId'>,
  room: RoomRow,
  member: MemberRow | null | undefined,
): MemberRow {
  if (room.status === 'ended') throw over();
  if (member?.standing !== 'present') throw notInside();
  if (member.socket === socketId) return member;
  const message = 'Another device of this wallet is in the room: join it first.';
  throw new ParleyError('CONFLICT', message, { reason: 'replaced' });
}
