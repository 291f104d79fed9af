import { guestsCannot } from '../../sdk/protocol/errors.ts';
import { otherStream } from './guestRefusals.ts';
import type { Guest } from './RequestContext.ts';
import type { RequestName } from '../../sdk/protocol/wire.ts';

/**
 * The requests that guests may send. The rules of rooms and streams decide which room or stream a guest may enter, and what it may do there.
 * All other requests are for wallets only.
 */
export const guestRequests = [
  'session.ping',
  'conference.join',
  'conference.get',
  'conference.leave',
  'conference.muteAudio',
  'conference.unmuteAudio',
  'conference.muteVideo',
  'conference.unmuteVideo',
  'conference.startScreenShare',
  'conference.stopScreenShare',
  'conference.raiseHand',
  'conference.sendChat',
  'conference.getChat',
  'conference.sendData',
  'conference.end',
  'conference.kick',
  'conference.muteParticipant',
  'conference.setRole',
  'conference.lock',
  'conference.getWaiting',
  'conference.admit',
  'conference.admitAll',
  'conference.deny',
  'conference.startRecording',
  'conference.stopRecording',
  'breakouts.create',
  'breakouts.list',
  'breakouts.move',
  'breakouts.end',
  'breakouts.broadcast',
  'breakouts.callHost',
  'media.join',
  'media.resume',
  'media.connectTransport',
  'media.restartIce',
  'media.produce',
  'media.closeProducer',
  'media.resumeConsumers',
  'media.view',
  'media.leave',
  'media.report',
  'streaming.get',
  'streaming.watch',
  'streaming.unwatch',
  'streaming.start',
  'streaming.end',
  'streaming.muteAudio',
  'streaming.unmuteAudio',
  'streaming.muteVideo',
  'streaming.unmuteVideo',
  'streaming.sendChat',
  'streaming.getChat',
  'streaming.deleteChat',
  'streaming.getViewers',
  'streaming.ban',
] as const satisfies RequestName[];

export type GuestRequestName = (typeof guestRequests)[number];

const allowed = new Set<RequestName>(guestRequests);

/**
 * A guest sends requests about the stream of its token only, because the guests of two streams may have the same identity. Rooms compare the
 * token with that of the membership, since a host may move a guest to another room.
 * @throws ParleyError ACCESS_DENIED
 */
export function mayBeSentByGuest(name: RequestName, payload: { streamId?: string }, guest: Guest): void {
  if (!allowed.has(name)) throw guestsCannot();
  if (payload.streamId !== undefined && payload.streamId !== guest.subjectId) throw otherStream();
}
