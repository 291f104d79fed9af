import { defineHandler, type Handler } from '../socket/defineHandler.ts';
import type { GatedRooms } from '../gatedRooms/GatedRooms.ts';
import type { ConferenceChat } from './ConferenceChat.ts';
import type { ConferenceMedia } from './ConferenceMedia.ts';
import type { ConferencePlaces } from './ConferenceMembership.ts';
import type { ConferenceRecording } from './ConferenceRecording.ts';
import type { ConferenceRooms } from './ConferenceRooms.ts';

export interface ConferenceServices {
  rooms: ConferenceRooms;
  places: ConferencePlaces;
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
    ...placeHandlers(services),
    ...mediaHandlers(services),
    ...chatHandlers(services),
    ...gateHandlers(services),
    ...recordingHandlers(services),
  ];
}

const roomHandlers = ({ rooms }: ConferenceServices) => [
  defineHandler('conference.create', ({ caller, payload }) => rooms.create(caller, payload)),
  defineHandler('conference.get', ({ caller, payload }) => rooms.get(caller, payload.roomId)),
  defineHandler('conference.list', ({ caller, payload }) => rooms.list(caller, payload)),
  defineHandler('conference.lock', ({ caller, payload }) =>
    rooms.lock(caller, payload.roomId, payload.locked),
  ),
  defineHandler('conference.invite', ({ caller, payload }) => nothing(rooms.invite(caller, payload))),
  defineHandler('conference.end', ({ caller, payload }) => nothing(rooms.end(caller, payload.roomId))),
];

const placeHandlers = ({ places }: ConferenceServices) => [
  defineHandler('conference.join', ({ caller, socket, payload }) => places.join(caller, socket, payload)),
  defineHandler('conference.leave', ({ caller, payload }) => nothing(places.leave(caller, payload))),
  defineHandler('conference.kick', ({ caller, payload }) => nothing(places.kick(caller, payload))),
  defineHandler('conference.getWaiting', ({ caller, payload }) => places.waiting(caller, payload.roomId)),
  defineHandler('conference.admit', ({ caller, payload }) => nothing(places.admit(caller, payload))),
  defineHandler('conference.deny', ({ caller, payload }) => nothing(places.deny(caller, payload))),
];

const mediaHandlers = ({ media }: ConferenceServices) => [
  defineHandler('conference.muteAudio', ({ caller, payload }) =>
    nothing(media.setSending(caller, payload.roomId, 'microphone', false)),
  ),
  defineHandler('conference.unmuteAudio', ({ caller, payload }) =>
    nothing(media.setSending(caller, payload.roomId, 'microphone', true)),
  ),
  defineHandler('conference.muteVideo', ({ caller, payload }) =>
    nothing(media.setSending(caller, payload.roomId, 'camera', false)),
  ),
  defineHandler('conference.unmuteVideo', ({ caller, payload }) =>
    nothing(media.setSending(caller, payload.roomId, 'camera', true)),
  ),
  defineHandler('conference.startScreenShare', ({ caller, payload }) =>
    nothing(media.startScreenShare(caller, payload.roomId)),
  ),
  defineHandler('conference.stopScreenShare', ({ caller, payload }) =>
    nothing(media.stopScreenShare(caller, payload.roomId)),
  ),
  defineHandler('conference.muteParticipant', ({ caller, payload }) =>
    nothing(media.muteParticipant(caller, payload)),
  ),
  defineHandler('conference.setRole', ({ caller, payload }) => media.setRole(caller, payload)),
  defineHandler('conference.raiseHand', ({ caller, payload }) =>
    nothing(media.raiseHand(caller, payload.roomId, payload.raised)),
  ),
];

const chatHandlers = ({ chat }: ConferenceServices) => [
  defineHandler('conference.sendChat', ({ caller, payload }) => chat.send(caller, payload)),
  defineHandler('conference.getChat', ({ caller, payload }) => chat.read(caller, payload)),
];

const recordingHandlers = ({ recording }: ConferenceServices) => [
  defineHandler('conference.startRecording', ({ caller, payload }) =>
    recording.start(caller, payload.roomId),
  ),
  defineHandler('conference.stopRecording', ({ caller, payload }) =>
    nothing(recording.stop(caller, payload.roomId)),
  ),
];

const gateHandlers = ({ gated }: ConferenceServices) => [
  defineHandler('gatedRooms.create', ({ caller, payload }) => gated.create(caller, payload)),
  defineHandler('gatedRooms.getChains', ({ caller }) => Promise.resolve(gated.chains(caller))),
  defineHandler('gatedRooms.inspect', ({ caller, payload }) => gated.inspect(caller, payload)),
  defineHandler('gatedRooms.checkAccess', ({ caller, payload }) => gated.checkAccess(caller, payload)),
];
