import type { Socket } from 'socket.io-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { requests, type RequestName } from '../../../sdk/protocol/wire.ts';
import { realtimeParameters } from '../../../sdk/src/connection/realtimeParameters.ts';
import { httpParameters } from '../../../sdk/src/http/httpParameters.ts';
import { Parley } from '../../../sdk/src/Parley.ts';
import { routeTable, type Services } from '../../../server/api/routes.ts';
import { guestRequests } from '../../../signaling/socket/guestRequests.ts';
import type { TestClient } from '../../harness/clients/TestClient.ts';
import type { TestGuest, Token } from '../../harness/clients/TestGuest.ts';
import { oneNode, type OneNode } from '../../harness/nodes/Harness.ts';
import { samplesOf } from '../../harness/schemaSamples.ts';
import { created, refused } from '../../scenarios/conference.ts';
import { guestIn } from '../../scenarios/guests.ts';
import { ask, bearer, closeSockets, connected, newWallet, send, signIn } from '../support.ts';

/* A guest tries everything that it has no right to: every method of the SDK, and every request on the wire. */

const parameters = { ...httpParameters, ...realtimeParameters };
type Namespace = keyof typeof parameters;

/**
 * What guests may use: the methods of these namespaces, except for those that need a wallet. A new method of such a namespace must be added
 * to one of the lists, and a new namespace is refused.
 */
const open: { [Name in Namespace]?: { allowed: string[]; refused: string[] } } = {
  conference: {
    allowed: [
      ...['join', 'leave', 'muteAudio', 'unmuteAudio', 'muteVideo', 'unmuteVideo', 'startScreenShare'],
      ...['stopScreenShare', 'end', 'kick', 'muteParticipant', 'setRole', 'lock', 'get', 'startRecording'],
      ...['stopRecording', 'raiseHand', 'sendChat', 'getChat', 'getWaiting', 'admit', 'deny'],
      ...['sendData', 'admitAll'],
    ],
    refused: ['create', 'list', 'past', 'invite'],
  },
  breakouts: { allowed: ['create', 'list', 'move', 'end', 'broadcast', 'callHost'], refused: [] },
  streaming: {
    allowed: [
      ...['start', 'end', 'watch', 'unwatch', 'muteAudio', 'unmuteAudio', 'muteVideo', 'unmuteVideo'],
      ...['startScreenShare', 'stopScreenShare', 'get', 'getViewers', 'sendChat', 'getChat', 'deleteChat'],
      'ban',
    ],
    refused: ['create', 'list', 'resetKey', 'getViewerToken'],
  },
  media: {
    allowed: [
      ...['setDevice', 'stats', 'publish', 'unpublish', 'devices', 'setAudioProcessing', 'setEffect'],
      'startAudio',
    ],
    refused: ['upload', 'test'],
  },
  // These send nothing, and never reject.
  voicemail: {
    allowed: ['stop'],
    refused: ['record', 'getAll', 'get', 'markAsRead', 'delete', 'transcribe'],
  },
  notifications: {
    allowed: ['requestPermissions'],
    refused: ['register', 'unregister', 'setPreferences', 'getPreferences'],
  },
};

const wallet = newWallet();
/** Arguments of the kinds in `parameters`. */
const given: Record<string, unknown> = {
  text: `room_${'0'.repeat(24)}`,
  number: 1,
  flag: true,
  list: [wallet.address],
  object: {},
  'text|object': `room_${'0'.repeat(24)}`,
  file: new Uint8Array(1),
};
/** Arguments that fit the method better, so that an SDK without the check would send a request, or wait. */
const plausible: Record<string, unknown[]> = {
  'calls.start': [{ to: wallet.address, type: 'audio' }],
  'messages.send': [{ to: wallet.address, content: 'Hello', type: 'text' }],
  'messages.sendFile': [{ to: wallet.address, file: new Blob(['a document']) }],
  'messages.search': [{ query: 'hello' }],
  'messages.setTyping': [wallet.address, true],
  'messages.getConversation': [wallet.address],
  'messages.getMessages': [{ with: wallet.address }],
  'voicemail.record': [{ to: wallet.address, file: new Blob([new Uint8Array(100)]) }],
  'notifications.register': [{ fcm: 'x'.repeat(32) }],
  'conference.create': [{ name: 'x', maxParticipants: 2 }],
  'streaming.create': [{ title: 'x' }],
};

let harness: OneNode;
let host: TestClient;
let room: string;
let guest: TestGuest;
let token: Token;

beforeAll(async () => {
  harness = await oneNode({ RATE_LIMIT_REALTIME: '100000', RATE_LIMIT_CHAT: '3' });
  host = await harness.client();
  room = await created(host);
  await host.parley.conference.join(room);
  guest = await guestIn(harness, room, { role: 'host' });
  token = guest.token;
});
afterAll(async () => {
  closeSockets();
  await harness?.close();
});

const methodsOf = (name: Namespace) => Object.keys(parameters[name]);

describe('a guest and the SDK', () => {
  it('classifies every method of the namespaces that guests may use', () => {
    for (const [name, { allowed, refused: others }] of Object.entries(open))
      expect([...allowed, ...others].sort()).toEqual(methodsOf(name as Namespace).sort());
  });

  const needingWallet = (Object.keys(parameters) as Namespace[]).flatMap((name) =>
    methodsOf(name)
      .filter((method) => !open[name]?.allowed.includes(method))
      .map((method) => [name, method] as const),
  );

  it.each(needingWallet)('%s.%s is refused at once', async (name, method) => {
    const spec = (parameters[name] as Record<string, string>)[method] ?? '';
    const args =
      plausible[`${name}.${method}`] ??
      spec
        .split(' ')
        .filter(Boolean)
        .map((one) => given[one.replace('?', '').split(':')[1] ?? '']);
    const namespace = guest.parley[name] as unknown as Record<
      string,
      (...args: unknown[]) => Promise<unknown>
    >;
    expect(await refused(namespace[method]?.(...args) ?? Promise.resolve())).toEqual([
      'ACCESS_DENIED',
      'guest',
    ]);
  });

  it('leaves no message to be sent', () => {
    expect(guest.parley.messages.pending()).toEqual([]);
  });

  it('cannot sign in', async () => {
    const { parley } = guest;
    for (const run of [
      () => parley.signIn(wallet),
      () => parley.authenticate(wallet.address, '0x', 'message'),
      () => parley.signInWithProvider('token'),
      () => parley.linkWallet(wallet),
    ])
      expect(await refused(run())).toEqual(['ACCESS_DENIED', 'guest']);
    expect(await parley.guest()).toMatchObject({ identity: 'alice', subjectId: room });
    expect(await parley.serverStatus()).toMatchObject({ services: expect.anything() as unknown });
  });

  it('stores nothing, and leaves the session of the page alone', async () => {
    const kept = new Map([[`parley.session ${harness.url()}`, 'the session of a wallet']]);
    const used: string[] = [];
    const storage = {
      getItem: (key: string) => (used.push(key), kept.get(key) ?? null),
      setItem: (key: string) => void used.push(key),
      removeItem: (key: string) => void used.push(key),
    };
    const { token: participantToken } = await harness.token(room, { identity: 'bob' });
    // JavaScript apps may share the options of their other clients.
    const options = { participantToken, baseUrl: harness.url(), storage, apiKey: '' };
    const client = new Parley(options);
    await client.conference.join(room);
    await client.conference.leave(room);
    await client.signOut();
    expect(client.state).toBe('closed');
    expect(used).toEqual([]);
  });
});

describe('a guest on the wire', () => {
  let socket: Socket;
  beforeAll(async () => {
    socket = await connected(harness.url(), token.token);
  });

  const forbidden = (Object.keys(requests) as RequestName[]).filter(
    (name) => !(guestRequests as readonly string[]).includes(name),
  );

  it.each(forbidden)('may not send %s', async (name) => {
    for (const sample of samplesOf(requests[name].request))
      expect(await send(socket, name, sample)).toMatchObject({
        ok: false,
        error: { code: 'ACCESS_DENIED', reason: 'guest' },
      });
  });

  it('cannot become a wallet with session.renew, nor a wallet a guest', async () => {
    const { token: sessionToken } = await signIn(harness.url());
    expect(await send(socket, 'session.renew', { token: sessionToken })).toMatchObject({
      error: { code: 'ACCESS_DENIED', reason: 'guest' },
    });
    const other = await connected(harness.url(), sessionToken);
    expect(await send(other, 'session.renew', { token: token.token })).toMatchObject({
      error: { code: 'ACCESS_DENIED' },
    });
  });

  it('has no access to the HTTP API', async () => {
    const rows = routeTable({ identity: {}, billing: {}, lookup: {}, leaksearch: {} } as Services);
    const headers = bearer(token.token);
    for (const { method, path, credential } of rows.filter((row) => row.credential !== 'none')) {
      const address = `/api/v1${path.replace(/:\w+/g, `x_${'0'.repeat(24)}`)}`;
      const body = method === 'get' ? {} : { body: {} };
      const { status } = await ask(harness.url(), method.toUpperCase(), address, { headers, ...body });
      expect([method, path, credential, status]).toEqual([method, path, credential, 401]);
    }
  });

  it('is never named by its token in the log', async () => {
    await harness.server.waitForLog('guest:alice');
    expect(harness.server.log).not.toContain(token.token);
  });

  it('is limited by itself, not with the guest of the same name in another room', async () => {
    const other = await guestIn(harness, await created(host));
    const { conference } = guest.parley;
    for (let count = 0; count < 3; count++) await conference.sendChat(room, 'Hello');
    expect((await refused(conference.sendChat(room, 'x')))[0]).toBe('RATE_LIMIT_EXCEEDED');
    await other.parley.conference.sendChat(other.token.roomId, 'Hello');
  });
});
