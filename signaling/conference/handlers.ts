import type { Handlers } from '../socket/Handlers.ts';
import type { GatedRooms } from '../gatedRooms/GatedRooms.ts';
import type { ConferenceChat } from './ConferenceChat.ts';
import type { ConferenceMedia } from './ConferenceMedia.ts';
import type { ConferenceMembership } from './ConferenceMembership.ts';
import type { ConferenceRecording } from './ConferenceRecording.ts';
import type { ConferenceRooms } from './ConferenceRooms.ts';

export interface ConferenceServices {
  rooms: ConferenceRooms;
  memberships: ConferenceMembership;
  media: ConferenceMedia;
  recording: ConferenceRecording;
  chat: ConferenceChat;
  gated: GatedRooms;
}

export function conferenceHandlers(services: ConferenceServices): Handlers<'conference' | 'gatedRooms'> {
  const { rooms, memberships, media, recording, chat, gated } = services;
  return {
    'conference.create': (context, payload) => rooms.create(context, payload),
    'conference.get': (context, payload) => rooms.get(context, payload.roomId),
    'conference.list': (context, payload) => rooms.list(context, payload),
    'conference.lock': (context, payload) => rooms.lock(context, payload.roomId, payload.locked),
    'conference.invite': (context, payload) => rooms.invite(context, payload),
    'conference.end': (context, payload) => rooms.end(context, payload.roomId),
    'conference.join': (context, payload, socket) => memberships.join(context, socket, payload),
    'conference.leave': (context, payload) => memberships.leave(context, payload),
    'conference.kick': (context, payload) => memberships.kick(context, payload),
    'conference.getWaiting': (context, payload) => memberships.waiting(context, payload.roomId),
    'conference.admit': (context, payload) => memberships.admit(context, payload),
    'conference.deny': (context, payload) => memberships.deny(context, payload),
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
    'conference.startRecording': (context, payload) => recording.start(context, payload.roomId),
    'conference.stopRecording': (context, payload) => recording.stop(context, payload.roomId),
    'gatedRooms.create': (context, payload) => gated.create(context, payload),
    'gatedRooms.getChains': (context) => Promise.resolve(gated.chains(context)),
    'gatedRooms.inspect': (context, payload) => gated.inspect(context, payload),
    'gatedRooms.checkAccess': (context, payload) => gated.checkAccess(context, payload),
  };
}
