import { newId } from '../../../sdk/protocol/ids.ts';
import { vp8 } from '../../harness/media/mediaFixtures.ts';
import { idOf } from './fill.ts';
import {
  change,
  last,
  latestRoom,
  latestStream,
  list,
  place,
  read,
  readAt,
  unused,
  writes,
  type Answer,
  type Operation,
  type Session,
} from './Operation.ts';

/** An open stream of the heavy wallet, with a full chat and 500 viewers. */
const openStream = idOf('str', 2);
const today = `${new Date().toISOString().slice(0, 10)}T00:00:00.000Z`;
const rtpCapabilities = {
  codecs: [{ kind: 'video', mimeType: 'video/VP8', preferredPayloadType: 101, clockRate: 90_000 }],
};
const oldRecording = unused('rec', 30);

/** What is done in a new room, which ends afterwards. */
const inRoom = (
  name: string,
  run: (session: Session, roomId: string) => Promise<unknown>,
  settings: object = {},
): Operation =>
  change(name, async (session) => {
    const { ask } = session;
    const { id: roomId } = await ask('conference.create', { name: 'Room', maxParticipants: 10, settings });
    await run(session, roomId);
    return ask('conference.end', { roomId });
  });

/** What is done in a room that the peer waits to enter. */
const withWaiter = (name: string, run: (session: Session, roomId: string) => Promise<unknown>): Operation =>
  inRoom(
    name,
    async (session, roomId) => {
      await session.peer('conference.join', { roomId });
      return run(session, roomId);
    },
    { waitingRoom: true },
  );

/** The peer enters a room. @returns its participant */
async function peerJoins({ peer }: Session, roomId: string): Promise<string> {
  const { participant } = await peer('conference.join', { roomId });
  return (participant as Answer).id;
}

/** What is done in a new room in which the peer is, over HTTP. */
const withParticipant = (
  name: string,
  run: (session: Session, path: string, participantId: string) => Promise<unknown>,
): Operation =>
  writes(name, async (session) => {
    const { api } = session;
    const { id } = await api('POST', '/rooms', { name: 'Stand-up' });
    await run(session, `/rooms/${id}`, await peerJoins(session, id));
    return api('POST', `/rooms/${id}/end`, {});
  });

/** What is done in a call that the peer has answered, which ends afterwards. */
const inCall = (name: string, run: (session: Session, callId: string) => Promise<unknown>): Operation =>
  change(name, async (session) => {
    const { ask, peer, peerWallet } = session;
    const { id: callId } = await ask('calls.start', { to: peerWallet, type: 'video' });
    await peer('calls.answer', { callId });
    return run(session, callId);
  });

/** What is done with a new stream, which ends afterwards. */
const inStream = (name: string, run: (session: Session, streamId: string) => Promise<unknown>): Operation =>
  change(name, async (session) => {
    const { ask } = session;
    const { id: streamId } = await ask('streaming.create', { title: 'A stream', isPublic: true });
    await run(session, streamId);
    return ask('streaming.end', { streamId });
  });

/** Lists of rooms, streams, calls and recordings, and what is done in them. */
export const liveOperations: Operation[] = [
  list((rows) => `/rooms/${latestRoom(rows)}`, 'GET /rooms/:id'),
  list((rows) => `/rooms/${latestRoom(rows)}/quality`, 'GET /rooms/:id/quality'),
  list((rows) => `/rooms/${latestRoom(rows)}/quality?from=${today}`, 'GET /rooms/:id/quality?from=…'),
  list(`/calls/${idOf('call', 2)}/quality?from=${today}`),
  list(
    (rows) => `/rooms/${latestRoom(rows)}/participants?identity=nobody`,
    'GET /rooms/:id/participants?identity=nobody',
  ),
  last((rows) => `/rooms/${latestRoom(rows)}/participants`, place, '/rooms/:id/participants'),
  last((rows) => `/rooms/${latestRoom(rows)}/messages`, place, '/rooms/:id/messages'),
  last((rows) => `/rooms/${latestRoom(rows)}/tokens`, place, '/rooms/:id/tokens'),
  list((rows) => `/rooms/${latestRoom(rows)}/breakouts`, 'GET /rooms/:id/breakouts'),
  list((rows) => `/rooms/${latestRoom(rows)}/recording`, 'GET /rooms/:id/recording'),
  list((rows) => `/streams/${latestStream(rows)}`, 'GET /streams/:id'),
  list(`/streams/${openStream}/viewers`),
  last(`/streams/${openStream}/viewers`, place),
  list(`/streams/${openStream}/tokens`),
  last(`/streams/${openStream}/tokens`, place),
  list(`/recordings/${idOf('rec', 22)}`),

  withParticipant('POST /rooms and what is done with a participant', async ({ api }, path, participantId) => {
    const participant = `${path}/participants/${participantId}`;
    await api('GET', participant);
    await api('PATCH', participant, { role: 'viewer' });
    await api('POST', `${participant}/mute`, {});
    await api('POST', `${path}/data`, { topic: 'slide', json: { number: 7 } });
    return api('DELETE', participant);
  }),
  withParticipant('POST /rooms/:id/breakouts, move, end', async ({ api }, path, participantId) => {
    const { data } = await api('POST', `${path}/breakouts`, { rooms: [{ name: 'Group 1' }] });
    const [breakout] = data as Answer[];
    await api('POST', `${path}/participants/${participantId}/move`, { to: breakout?.id });
    return api('POST', `${path}/breakouts/end`, {});
  }),
  withParticipant('POST and DELETE /rooms/:id/recording', async ({ api }, path) => {
    await api('POST', `${path}/recording`, {});
    return api('DELETE', `${path}/recording`);
  }),
  writes('POST and DELETE /rooms/:id/tokens', async ({ api }) => {
    const { id } = await api('POST', '/rooms', { name: 'Stand-up' });
    const token = await api('POST', `/rooms/${id}/tokens`, { identity: 'alice' });
    await api('DELETE', `/rooms/${id}/tokens/${token.id}`);
    return api('POST', `/rooms/${id}/end`, {});
  }),
  writes('PATCH /streams/:id and its key', async ({ api }) => {
    await api('PATCH', `/streams/${openStream}`, { title: 'Another title' });
    return api('POST', `/streams/${openStream}/reset-key`, {});
  }),
  writes('POST and DELETE /streams/:id/bans', async ({ api, peerWallet }) => {
    await api('POST', `/streams/${openStream}/bans`, { walletAddress: peerWallet });
    return api('DELETE', `/streams/${openStream}/bans?walletAddress=${peerWallet}`);
  }),
  writes('POST /streams/:id/viewer-tokens, tokens, and their end', async ({ api }) => {
    await api('POST', `/streams/${openStream}/viewer-tokens`, {});
    const { id } = await api('POST', `/streams/${openStream}/tokens`, { identity: 'bob' });
    return api('DELETE', `/streams/${openStream}/tokens/${id}`);
  }),
  writes('POST /calls/:id/end', async ({ api, ask, peerWallet }) => {
    const { id } = await ask('calls.start', { to: peerWallet, type: 'audio' });
    return api('POST', `/calls/${id}/end`, {});
  }),
  writes('DELETE /recordings/:id', ({ api }) => api('DELETE', `/recordings/${oldRecording()}`)),

  read('conference.list', { status: 'waiting' }, 'waiting'),
  read('conference.list', { status: 'active' }, 'active'),
  readAt('conference.past', (rows) => ({ cursor: latestRoom(rows) }), 'next page'),
  readAt(
    'conference.getChat',
    (rows) => ({ roomId: latestRoom(rows), before: idOf('msg', rows + 60) }),
    'last page',
  ),
  readAt('conference.getWaiting', (rows) => ({ roomId: latestRoom(rows) })),
  readAt('breakouts.list', (rows) => ({ roomId: latestRoom(rows) })),
  read('streaming.get', { streamId: openStream }),
  read('streaming.list', { offset: 400 }, 'own, offset 400'),
  read('streaming.list', { status: 'idle' }, 'idle'),
  read('streaming.getViewers', { streamId: openStream }),
  read('streaming.getViewers', { streamId: openStream, offset: 450 }, 'last page'),
  read('streaming.getChat', { streamId: openStream }),
  readAt(
    'streaming.getChat',
    (rows) => ({ streamId: openStream, before: idOf('msg', 2 * rows + 60) }),
    'last page',
  ),
  read('recordings.get', { recordingId: idOf('rec', 22) }),
  read('recordings.list', { offset: 400 }, 'offset 400'),

  inRoom('conference.invite, join, setRole, muteParticipant and kick', async (session, roomId) => {
    const { ask, peerWallet } = session;
    await ask('conference.invite', { roomId, addresses: [peerWallet] });
    const participantId = await peerJoins(session, roomId);
    await ask('conference.setRole', { roomId, participantId, role: 'host' });
    await ask('conference.muteParticipant', { roomId, participantId });
    return ask('conference.kick', { roomId, participantId });
  }),
  inRoom('conference.mute, raiseHand, startScreenShare and sendData', async (session, roomId) => {
    const { peer } = session;
    await peerJoins(session, roomId);
    for (const what of ['muteAudio', 'unmuteAudio', 'muteVideo', 'unmuteVideo', 'raiseHand'])
      await peer(`conference.${what}`, { roomId });
    await peer('conference.startScreenShare', { roomId });
    await peer('conference.stopScreenShare', { roomId });
    return peer('conference.sendData', { roomId, topic: 'slide', json: { number: 7 } });
  }),
  inRoom('conference.lock', ({ ask }, roomId) => ask('conference.lock', { roomId })),
  withWaiter('conference.getWaiting and admit', async ({ ask, peerWallet }, roomId) => {
    await ask('conference.getWaiting', { roomId });
    return ask('conference.admit', { roomId, walletAddress: peerWallet });
  }),
  withWaiter('conference.admitAll', ({ ask }, roomId) => ask('conference.admitAll', { roomId })),
  withWaiter('conference.deny', ({ ask, peerWallet }, roomId) =>
    ask('conference.deny', { roomId, walletAddress: peerWallet }),
  ),
  inRoom('conference.startRecording and stopRecording', async (session, roomId) => {
    const { ask } = session;
    await peerJoins(session, roomId);
    await ask('conference.startRecording', { roomId });
    return ask('conference.stopRecording', { roomId });
  }),
  inRoom('breakouts.create, list, move, broadcast, callHost and end', async (session, roomId) => {
    const { ask, peer } = session;
    const participantId = await peerJoins(session, roomId);
    const breakouts = await ask('breakouts.create', { roomId, rooms: [{ name: 'Group 1' }] });
    const [breakout] = breakouts as unknown as Answer[];
    await ask('breakouts.list', { roomId });
    await ask('breakouts.move', { roomId, participantIds: [participantId], to: breakout?.id });
    await peer('conference.join', { roomId: breakout?.id });
    await ask('breakouts.broadcast', { roomId, content: 'Five minutes' });
    await peer('breakouts.callHost', { roomId: breakout?.id });
    return ask('breakouts.end', { roomId });
  }),
  inRoom('media.join, produce, closeProducer, report, resume and leave', async (session, id) => {
    const { peer } = session;
    await peerJoins(session, id);
    const room = { scope: 'conference', id };
    const { peerId: participantId } = await peer('media.join', { ...room, rtpCapabilities });
    await peer('media.produce', { ...room, source: 'camera', rtpParameters: vp8() });
    await peer('media.closeProducer', { ...room, source: 'camera' });
    await peer('media.report', { ...room, path: null, roundTripMs: 20, sending: null, receiving: null });
    await peer('media.resume', { ...room, participantId });
    return peer('media.leave', room);
  }),
  inCall('calls.answer, mute, unmute, disableVideo, enableVideo and rejoin', async (session, callId) => {
    const { ask, peer } = session;
    for (const what of ['mute', 'unmute', 'disableVideo', 'enableVideo', 'rejoin'])
      await peer(`calls.${what}`, { callId });
    return ask('calls.end', { callId });
  }),
  inCall('calls.startRecording and stopRecording', async ({ ask }, callId) => {
    await ask('calls.startRecording', { callId });
    await ask('calls.stopRecording', { callId });
    return ask('calls.end', { callId });
  }),
  inCall('calls.addPeople', async ({ ask }, callId) => {
    const room = await ask('calls.addPeople', { callId, addresses: [`0x${'1'.repeat(40)}`] });
    return ask('conference.end', { roomId: room.id });
  }),
  change('calls.decline', async ({ ask, peer, peerWallet }) => {
    const { id: callId } = await ask('calls.start', { to: peerWallet, type: 'audio' });
    return peer('calls.decline', { callId });
  }),
  inStream('streaming.start and mute', async ({ ask }, streamId) => {
    await ask('streaming.start', { streamId, media: { rtpCapabilities } });
    for (const what of ['muteAudio', 'unmuteAudio', 'muteVideo', 'unmuteVideo'])
      await ask(`streaming.${what}`, { streamId });
  }),
  change('streaming.resetKey and getViewerToken', async ({ ask }) => {
    await ask('streaming.resetKey', { streamId: openStream });
    return ask('streaming.getViewerToken', { streamId: openStream });
  }),
  change('streaming.watch, sendChat, deleteChat and unwatch', async ({ peer }) => {
    const stream = { streamId: openStream };
    await peer('streaming.watch', stream);
    const { message } = await peer('streaming.sendChat', { ...stream, content: 'Hello' });
    await peer('streaming.deleteChat', { ...stream, messageId: (message as Answer).id });
    return peer('streaming.unwatch', stream);
  }),
  change('streaming.ban', async ({ ask, peerWallet }) => {
    const ban = { streamId: openStream, walletAddress: peerWallet };
    await ask('streaming.ban', ban);
    return ask('streaming.ban', { ...ban, banned: false });
  }),
  change('recordings.delete', ({ ask }) => ask('recordings.delete', { recordingId: oldRecording() })),
  change('groups.create, get, add, join, setRole, remove and leave', async (session) => {
    const { ask, peer, peerWallet: walletAddress } = session;
    const groupId = newId('grp');
    await ask('groups.create', { groupId, name: 'Friends', members: [] });
    await ask('groups.add', { groupId, members: [walletAddress] });
    await peer('groups.join', { groupId });
    await ask('groups.setRole', { groupId, walletAddress, role: 'admin' });
    await ask('groups.remove', { groupId, walletAddress });
    return ask('groups.leave', { groupId });
  }),
  read('groups.get', { groupId: idOf('grp', 2) }),
];
