import { nothing } from '../../../sdk/protocol/common.ts';
import { createdToken, newRoomToken, participantToken } from '../../../sdk/protocol/guests.ts';
import { quality, qualityQuery } from '../../../sdk/protocol/quality.ts';
import * as schemas from '../../../sdk/protocol/rooms.ts';
import { backendParticipant } from '../../../sdk/protocol/webhookData.ts';
import { route, type Route } from '../../http/Route.ts';
import { signedIn } from '../../http/signedIn.ts';
import type { RoomService } from './RoomService.ts';

/** Rooms of the account, and the participant tokens with which guests enter them. */
export function roomRoutes(service: RoomService): Route[] {
  return [
    route({
      method: 'post',
      path: '/rooms',
      summary: 'Creates a room. The account is its host.',
      scope: 'rooms:write',
      idempotent: true,
      body: schemas.createRoom,
      response: schemas.room,
      status: 201,
      handle: ({ body, principal }) => service.create(signedIn(principal), body),
    }),
    route({
      method: 'get',
      path: '/rooms',
      summary: 'Lists the rooms of the account, latest first.',
      scope: 'rooms:read',
      query: schemas.roomsQuery,
      response: schemas.rooms,
      handle: ({ query, principal }) => service.list(signedIn(principal), query),
    }),
    route({
      method: 'get',
      path: '/rooms/:id',
      summary: 'Reads a room with its participants.',
      scope: 'rooms:read',
      params: schemas.roomPath,
      response: schemas.roomWithParticipants,
      handle: ({ params, principal }) => service.get(signedIn(principal), params.id),
    }),
    route({
      method: 'patch',
      path: '/rooms/:id',
      summary: 'Changes a room. Everybody in it is notified, and what it no longer allows ends.',
      scope: 'rooms:write',
      params: schemas.roomPath,
      body: schemas.changeRoom,
      response: schemas.room,
      handle: ({ params, body, principal }) => service.change(signedIn(principal), params.id, body),
    }),
    route({
      method: 'post',
      path: '/rooms/:id/end',
      summary: 'Ends a room for everybody in it.',
      scope: 'rooms:write',
      idempotent: true,
      params: schemas.roomPath,
      response: schemas.room,
      handle: ({ params, principal }) => service.end(signedIn(principal), params.id),
    }),
    route({
      method: 'get',
      path: '/rooms/:id/quality',
      summary: 'Reads the quality of the media in a room, and what was wrong with it.',
      scope: 'rooms:read',
      params: schemas.roomPath,
      query: qualityQuery,
      response: quality,
      handle: ({ params, query, principal }) => service.quality(signedIn(principal), params.id, query),
    }),
    ...participantRoutes(service),
    ...breakoutRoutes(service),
    ...chatAndRecordingRoutes(service),
    ...tokenRoutes(service),
  ];
}

const participantRoutes = (service: RoomService): Route[] => [
  route({
    method: 'get',
    path: '/rooms/:id/participants',
    summary: 'Lists the participants of a room, latest first.',
    scope: 'rooms:read',
    params: schemas.roomPath,
    query: schemas.participantsQuery,
    response: schemas.participants,
    handle: ({ params, query, principal }) => service.participants(signedIn(principal), params.id, query),
  }),
  route({
    method: 'get',
    path: '/rooms/:id/participants/:participantId',
    summary: 'Reads a participant.',
    scope: 'rooms:read',
    params: schemas.participantPath,
    response: backendParticipant,
    handle: ({ params, principal }) => service.participant(signedIn(principal), params),
  }),
  route({
    method: 'patch',
    path: '/rooms/:id/participants/:participantId',
    summary: 'Changes a participant until it leaves. What it may no longer send ends at once.',
    scope: 'rooms:write',
    params: schemas.participantPath,
    body: schemas.changeParticipant,
    response: backendParticipant,
    handle: ({ params, body, principal }) => service.changeParticipant(signedIn(principal), params, body),
  }),
  route({
    method: 'delete',
    path: '/rooms/:id/participants/:participantId',
    summary: 'Removes a participant, which can enter again only with a new invitation or token.',
    scope: 'rooms:write',
    params: schemas.participantPath,
    response: backendParticipant,
    handle: ({ params, principal }) => service.remove(signedIn(principal), params),
  }),
  route({
    method: 'post',
    path: '/rooms/:id/participants/:participantId/mute',
    summary: 'Mutes the microphone of a participant, which may unmute itself.',
    scope: 'rooms:write',
    idempotent: true,
    params: schemas.participantPath,
    response: backendParticipant,
    handle: ({ params, principal }) => service.mute(signedIn(principal), params),
  }),
  route({
    method: 'post',
    path: '/rooms/:id/participants/:participantId/move',
    summary: 'Moves a participant to another room of the account. Its devices join that room by themselves.',
    scope: 'rooms:write',
    idempotent: true,
    params: schemas.participantPath,
    body: schemas.moveParticipant,
    response: backendParticipant,
    handle: ({ params, body, principal }) => service.move(signedIn(principal), params, body),
  }),
];

const breakoutRoutes = (service: RoomService): Route[] => [
  route({
    method: 'post',
    path: '/rooms/:id/breakouts',
    summary: 'Creates breakouts of a room, and moves participants into them.',
    scope: 'rooms:write',
    idempotent: true,
    params: schemas.roomPath,
    body: schemas.createBreakouts,
    response: schemas.breakouts,
    status: 201,
    work: ({ params, body, principal }, unit) =>
      service.createBreakouts(signedIn(principal), params.id, body, unit),
  }),
  route({
    method: 'get',
    path: '/rooms/:id/breakouts',
    summary: 'Lists the running breakouts of a room, or of the parent of a breakout, oldest first.',
    scope: 'rooms:read',
    params: schemas.roomPath,
    response: schemas.breakouts,
    handle: ({ params, principal }) => service.breakouts(signedIn(principal), params.id),
  }),
  route({
    method: 'post',
    path: '/rooms/:id/breakouts/end',
    summary: 'Moves everybody in the breakouts of a room back, and ends them; for a breakout, only this one.',
    scope: 'rooms:write',
    idempotent: true,
    params: schemas.roomPath,
    response: schemas.room,
    handle: ({ params, principal }) => service.endBreakouts(signedIn(principal), params.id),
  }),
];

const chatAndRecordingRoutes = (service: RoomService): Route[] => [
  route({
    method: 'get',
    path: '/rooms/:id/messages',
    summary: 'Lists the last 500 messages in the chat of a room, latest first.',
    scope: 'rooms:read',
    params: schemas.roomPath,
    query: schemas.messagesQuery,
    response: schemas.roomMessages,
    handle: ({ params, query, principal }) => service.messages(signedIn(principal), params.id, query),
  }),
  route({
    method: 'post',
    path: '/rooms/:id/messages',
    summary: 'Writes a message in the chat of a room, as its host.',
    scope: 'rooms:write',
    idempotent: true,
    params: schemas.roomPath,
    body: schemas.newRoomMessage,
    response: schemas.roomMessage,
    status: 201,
    work: ({ params, body, principal }, unit) => service.send(signedIn(principal), params.id, body, unit),
  }),
  route({
    method: 'post',
    path: '/rooms/:id/data',
    summary: 'Sends data to the participants of a room. It is not stored, and a retry sends it again.',
    scope: 'rooms:write',
    params: schemas.roomPath,
    body: schemas.roomData,
    response: nothing,
    handle: async ({ params, body, principal }) => {
      await service.sendData(signedIn(principal), params.id, body);
      return {};
    },
  }),
  route({
    method: 'get',
    path: '/rooms/:id/recording',
    summary: 'Reads whether a room is being recorded, and its latest recording.',
    scope: 'rooms:read',
    params: schemas.roomPath,
    response: schemas.roomRecording,
    handle: ({ params, principal }) => service.recording(signedIn(principal), params.id),
  }),
  route({
    method: 'post',
    path: '/rooms/:id/recording',
    summary: 'Starts recording a room. Everybody in it is notified.',
    scope: 'rooms:write',
    idempotent: true,
    params: schemas.roomPath,
    response: schemas.roomRecording,
    status: 201,
    handle: ({ params, principal }) => service.startRecording(signedIn(principal), params.id),
  }),
  route({
    method: 'delete',
    path: '/rooms/:id/recording',
    summary: 'Stops recording a room.',
    scope: 'rooms:write',
    params: schemas.roomPath,
    response: schemas.roomRecording,
    handle: ({ params, principal }) => service.stopRecording(signedIn(principal), params.id),
  }),
];

const tokenRoutes = (service: RoomService): Route[] => [
  route({
    method: 'post',
    path: '/rooms/:id/tokens',
    summary: 'Creates a participant token, with which a guest enters a room. Only this answer contains it.',
    scope: 'tokens:create',
    idempotent: true,
    params: schemas.roomPath,
    body: newRoomToken,
    response: createdToken,
    status: 201,
    work: ({ params, body, principal }, unit) =>
      service.createToken(signedIn(principal), params.id, body, unit),
  }),
  route({
    method: 'get',
    path: '/rooms/:id/tokens',
    summary:
      'Lists the participant tokens of a room, latest first. They are kept for a week after they expire.',
    scope: 'tokens:create',
    params: schemas.roomPath,
    query: schemas.tokensQuery,
    response: schemas.tokens,
    handle: ({ params, query, principal }) => service.tokens(signedIn(principal), params.id, query),
  }),
  route({
    method: 'delete',
    path: '/rooms/:id/tokens/:tokenId',
    summary: 'Revokes a participant token. Its guest leaves the room at once.',
    scope: 'tokens:create',
    params: schemas.tokenPath,
    response: participantToken,
    handle: ({ params, principal }) => service.revokeToken(signedIn(principal), params),
  }),
];
