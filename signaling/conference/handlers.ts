import { defineHandler, type Handler } from '../socket/defineHandler.ts';
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

const nothing = async (done: Promise<void>) => {
  await done;
  return {};
};

export function conferenceHandlers(services: ConferenceServices): Handler[] {
  return [
    ...roomHandlers(services),
    ...membershipHandlers(services),
    ...mediaHandlers(services),
    ...chatHandlers(services),
    ...gateHandlers(services),
    ...recordingHandlers(services),
  ];
}

const roomHandlers = ({ rooms }: ConferenceServices) => [
  defineHandler('conference.create', ({ context, payload }) => rooms.create(context, payload)),
  defineHandler('conference.get', ({ context, payload }) => rooms.get(context, payload.roomId)),
  defineHandler('conference.list', ({ context, payload }) => rooms.list(context, payload)),
  defineHandler('conference.lock', ({ context, payload }) =>
    rooms.lock(context, payload.roomId, payload.locked),
  ),
  defineHandler('conference.invite', ({ context, payload }) => nothing(rooms.invite(context, payload))),
  defineHandler('conference.end', ({ context, payload }) => nothing(rooms.end(context, payload.roomId))),
];

const membershipHandlers = ({ memberships }: ConferenceServices) => [
  defineHandler('conference.join', ({ context, socket, payload }) =>
    memberships.join(context, socket, payload),
  ),
  defineHandler('conference.leave', ({ context, payload }) => nothing(memberships.leave(context, payload))),
  defineHandler('conference.kick', ({ context, payload }) => nothing(memberships.kick(context, payload))),
  defineHandler('conference.getWaiting', ({ context, payload }) =>
    memberships.waiting(context, payload.roomId),
  ),
  defineHandler('conference.admit', ({ context, payload }) => nothing(memberships.admit(context, payload))),
  defineHandler('conference.deny', ({ context, payload }) => nothing(memberships.deny(context, payload))),
];

const mediaHandlers = ({ media }: ConferenceServices) => [
  defineHandler('conference.muteAudio', ({ context, payload }) =>
    nothing(media.setSending(context, payload.roomId, 'microphone', false)),
  ),
  defineHandler('conference.unmuteAudio', ({ context, payload }) =>
    nothing(media.setSending(context, payload.roomId, 'microphone', true)),
  ),
  defineHandler('conference.muteVideo', ({ context, payload }) =>
    nothing(media.setSending(context, payload.roomId, 'camera', false)),
  ),
  defineHandler('conference.unmuteVideo', ({ context, payload }) =>
    nothing(media.setSending(context, payload.roomId, 'camera', true)),
  ),
  defineHandler('conference.startScreenShare', ({ context, payload }) =>
    nothing(media.startScreenShare(context, payload.roomId)),
  ),
  defineHandler('conference.stopScreenShare', ({ context, payload }) =>
    nothing(media.stopScreenShare(context, payload.roomId)),
  ),
  defineHandler('conference.muteParticipant', ({ context, payload }) =>
    nothing(media.muteParticipant(context, payload)),
  ),
  defineHandler('conference.setRole', ({ context, payload }) => media.setRole(context, payload)),
  defineHandler('conference.raiseHand', ({ context, payload }) =>
    nothing(media.raiseHand(context, payload.roomId, payload.raised)),
  ),
];

const chatHandlers = ({ chat }: ConferenceServices) => [
  defineHandler('conference.sendChat', ({ context, payload }) => chat.send(context, payload)),
  defineHandler('conference.getChat', ({ context, payload }) => chat.read(context, payload)),
];

const recordingHandlers = ({ recording }: ConferenceServices) => [
  defineHandler('conference.startRecording', ({ context, payload }) =>
    recording.start(context, payload.roomId),
  ),
  defineHandler('conference.stopRecording', ({ context, payload }) =>
    nothing(recording.stop(context, payload.roomId)),
  ),
];

const gateHandlers = ({ gated }: ConferenceServices) => [
  defineHandler('gatedRooms.create', ({ context, payload }) => gated.create(context, payload)),
  defineHandler('gatedRooms.getChains', ({ context }) => Promise.resolve(gated.chains(context))),
  defineHandler('gatedRooms.inspect', ({ context, payload }) => gated.inspect(context, payload)),
  defineHandler('gatedRooms.checkAccess', ({ context, payload }) => gated.checkAccess(context, payload)),
];
