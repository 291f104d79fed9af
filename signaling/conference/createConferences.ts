import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import type { ParleyServer } from '../socket/RequestContext.ts';
import { GatedRooms } from '../gatedRooms/GatedRooms.ts';
import type { Contacts } from '../Contacts.ts';
import type { LimitFactory } from '../../platform/limits/Limits.ts';
import type { Handlers } from '../socket/Handlers.ts';
import type { Notifier } from '../socket/Notifier.ts';
import { RecipientLimit } from '../RecipientLimit.ts';
import type { CallMoves } from '../calls/CallMoves.ts';
import { Breakouts } from './Breakouts.ts';
import { CallRooms } from './CallRooms.ts';
import { ConferenceChat } from './ConferenceChat.ts';
import { ConferenceData } from './ConferenceData.ts';
import type { ConferenceDeps } from './ConferenceDeps.ts';
import { ConferenceMedia } from './ConferenceMedia.ts';
import { ConferenceNotifier } from './ConferenceNotifier.ts';
import { ConferenceMembership } from './ConferenceMembership.ts';
import { ConferenceRecording } from './ConferenceRecording.ts';
import { ConferenceRooms } from './ConferenceRooms.ts';
import { ConferenceStore } from './ConferenceStore.ts';
import { ConferenceMaintenance } from './ConferenceMaintenance.ts';
import { PastRooms } from './PastRooms.ts';
import { RoomInvitations } from './RoomInvitations.ts';
import { MultipartyEvents } from './MultipartyEvents.ts';

/** How often a participant of a breakout may call a host. */
const hostCallsPerMinute = 6;

/** Settings of conferences: rate limits per minute or per ten seconds, and addresses. */
export interface ConferenceOptions {
  publicUrl: string;
  roomsPerMinute: number;
  joinsPerMinute: number;
  chatPerMinute: number;
  dataPerTenSeconds: number;
  invitesPerMinute: number;
  invitedPerMinute: number;
  gateChecksPerMinute: number;
  changesPerTenSeconds: number;
  recheckMs: number;
}

type Given = Omit<ConferenceDeps, 'store' | 'notifier' | 'limits' | 'publicUrl' | 'recheckMs'> & {
  db: NodePgDatabase;
  io: ParleyServer;
  notifier: Notifier;
  limitFactory: LimitFactory;
  contacts: Contacts;
  moves: CallMoves;
};

/** Creates the rules of conferences and gated rooms, for a node that accepts connections. */
export function createConferences(given: Given, options: ConferenceOptions) {
  const { db, io, notifier, limitFactory, media: sessions } = given;
  const limit = (name: string, perMinute: number) => limitFactory.perWallet(name, perMinute, 60);
  const { changesPerTenSeconds } = options;
  const store = new ConferenceStore(db, given.node);
  const deps: ConferenceDeps = {
    ...given,
    ...options,
    store,
    notifier: new ConferenceNotifier({ io, notifier, store }),
    limits: {
      creating: limit('rooms', options.roomsPerMinute),
      joining: limit('joins', options.joinsPerMinute),
      chat: limit('chat', options.chatPerMinute),
      data: limitFactory.perWallet('data', options.dataPerTenSeconds, 10),
      inviting: limit('invites', options.invitesPerMinute),
      invited: new RecipientLimit(limitFactory, given.contacts, 'invited', options.invitedPerMinute),
      checking: limit('gates', options.gateChecksPerMinute),
      callingHost: limit('calls for a host', hostCallsPerMinute),
      changing: limitFactory.perWallet('changes', changesPerTenSeconds, 10),
    },
  };
  const rooms = new ConferenceRooms(deps);
  const invitations = new RoomInvitations(deps);
  const memberships = new ConferenceMembership(deps);
  const media = new ConferenceMedia(deps, new MultipartyEvents({ io, notifier }));
  const recording = new ConferenceRecording(deps);
  const gated = new GatedRooms(deps, rooms, memberships);
  const maintenance = new ConferenceMaintenance(deps, memberships, rooms);
  const past = new PastRooms(deps);
  const chat = new ConferenceChat(deps);
  const data = new ConferenceData(deps);
  const breakouts = new Breakouts(deps, memberships, rooms);
  const callRooms = new CallRooms(deps, { rooms, invitations, moves: given.moves });
  sessions.addScope('conference', media);
  const handlers: Handlers<'conference' | 'breakouts' | 'gatedRooms'> & Pick<Handlers, 'calls.addPeople'> = {
    'calls.addPeople': (context, payload) => callRooms.addPeople(context, payload),
    'conference.create': (context, payload) => rooms.create(context, payload),
    'conference.get': (context, payload) => rooms.get(context, payload.roomId),
    'conference.list': (context, payload) => rooms.list(context, payload),
    'conference.lock': (context, payload) => rooms.lock(context, payload.roomId, payload.locked),
    'conference.invite': (context, payload) => invitations.invite(context, payload),
    'conference.end': (context, payload) => breakouts.endRoom(context, payload.roomId),
    'conference.join': (context, payload, socket) => memberships.join(context, socket, payload),
    'conference.leave': (context, payload) => memberships.leave(context, payload),
    'conference.kick': (context, payload) => memberships.kick(context, payload),
    'conference.getWaiting': (context, payload) => memberships.waiting(context, payload.roomId),
    'conference.admit': (context, payload) => memberships.admit(context, payload),
    'conference.admitAll': (context, payload) => memberships.admitAll(context, payload.roomId),
    'conference.deny': (context, payload) => memberships.deny(context, payload),
    'conference.past': (context, payload) => past.list(context, payload),
    'conference.muteAudio': (context, payload) =>
      media.setSending(context, payload.roomId, 'microphone', false),
    'conference.unmuteAudio': (context, payload) =>
      media.setSending(context, payload.roomId, 'microphone', true),
    'conference.muteVideo': (context, payload) => media.setSending(context, payload.roomId, 'camera', false),
    'conference.unmuteVideo': (context, payload) => media.setSending(context, payload.roomId, 'camera', true),
    'conference.startScreenShare': (context, payload) => media.startScreenShare(context, payload.roomId),
    'conference.stopScreenShare': (context, payload) => media.stopScreenShare(context, payload.roomId),
    'conference.muteParticipant': (context, payload) => media.muteParticipant(context, payload),
    'conference.setRole': (context, payload) => media.setRole(context, payload),
    'conference.raiseHand': (context, payload) => media.raiseHand(context, payload.roomId, payload.raised),
    'conference.sendChat': (context, payload) => chat.send(context, payload),
    'conference.getChat': (context, payload) => chat.read(context, payload),
    'conference.sendData': (context, payload) => data.send(context, payload),
    'conference.startRecording': (context, payload) => recording.start(context, payload.roomId),
    'conference.stopRecording': (context, payload) => recording.stop(context, payload.roomId),
    'breakouts.create': (context, payload) => breakouts.create(context, payload),
    'breakouts.list': (context, payload) => breakouts.list(context, payload.roomId),
    'breakouts.move': (context, payload) => breakouts.move(context, payload),
    'breakouts.end': (context, payload) => breakouts.end(context, payload.roomId),
    'breakouts.broadcast': (context, payload) => breakouts.broadcast(context, payload),
    'breakouts.callHost': (context, payload) => breakouts.callHost(context, payload.roomId),
    'gatedRooms.create': (context, payload) => gated.create(context, payload),
    'gatedRooms.getChains': (context) => Promise.resolve(gated.chains(context)),
    'gatedRooms.getExample': (context, payload) => gated.getExample(context, payload),
    'gatedRooms.inspect': (context, payload) => gated.inspect(context, payload),
    'gatedRooms.checkAccess': (context, payload) => gated.checkAccess(context, payload),
  };
  const backend = { store, rooms, memberships, breakouts, media, chat, data, recording };
  return { memberships, maintenance, handlers, backend };
}
