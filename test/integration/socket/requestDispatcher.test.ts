import { once } from 'node:events';
import { createConnection } from 'node:net';
import type { Socket } from 'socket.io-client';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ErrorBody } from '../../../sdk/protocol/errors.ts';
import { newId } from '../../../sdk/protocol/ids.ts';
import { protocolVersion } from '../../../sdk/protocol/version.ts';
import { requests } from '../../../sdk/protocol/wire.ts';
import { ServerProcess } from '../../harness/nodes/ServerProcess.ts';
import { until } from '../../harness/until.ts';
import * as support from '../support.ts';
import { openRawDevice } from './openRawDevice.ts';
import { code, connected, newWallet, next, refusal, send, signIn, socket } from '../support.ts';

const appOrigin = 'https://app.example';
let server: ServerProcess;
let url: string;
let token: string;
let device: Socket;

beforeAll(async () => {
  server = await ServerProcess.start({ ALLOWED_ORIGINS: appOrigin, RATE_LIMIT_REALTIME: '60' });
  url = server.url;
  token = (await signIn(url)).token;
});
beforeEach(async () => {
  device = await connected(url, token);
});
afterEach(() => support.closeSockets());
afterAll(async () => {
  support.closeSockets();
  await server?.dispose();
});

const expectWorking = async (of = device) => {
  expect(of.connected).toBe(true);
  expect(await code(of, 'session.ping', {})).toBe('ok');
};

const rawDevice = (auth: object = { token, protocolVersion }) => openRawDevice(url, auth);

describe('the handshake', () => {
  it.each<[string, object, string]>([
    ['no data', {}, 'AUTHENTICATION_REQUIRED'],
    ['no token', { protocolVersion }, 'AUTHENTICATION_REQUIRED'],
    ['an empty token', { token: '', protocolVersion }, 'AUTHENTICATION_REQUIRED'],
    ['an invalid token', { token: 'x', protocolVersion }, 'AUTHENTICATION_REQUIRED'],
    ['an array as token', { token: ['x'], protocolVersion }, 'AUTHENTICATION_REQUIRED'],
    ['a token that is too long', { token: 'x'.repeat(5_000), protocolVersion }, 'VALIDATION_ERROR'],
    ['no version', { token: 'x' }, 'VALIDATION_ERROR'],
    ['an invalid version', { token: 'x', protocolVersion: 'one' }, 'VALIDATION_ERROR'],
    ['an old version', { token: 'x', protocolVersion: protocolVersion - 2 }, 'VALIDATION_ERROR'],
    ['a future version', { token: 'x', protocolVersion: protocolVersion + 1 }, 'VALIDATION_ERROR'],
  ])('rejects %s with an error code', async (_case, auth, expected) => {
    const refused = await refusal(socket(url, auth));
    expect(refused?.data).toMatchObject({
      code: expected,
      requestId: expect.stringMatching(/^req_/) as string,
    });
    expect(refused?.message).toBe(refused?.data?.message);
    expect(JSON.stringify(refused?.data)).not.toContain('node_modules');
  });

  it('names both versions when the protocol version differs', async () => {
    const refused = await refusal(socket(url, { token, protocolVersion: 99 }));
    expect(refused?.data?.message).toMatch(/protocolVersion: .*99/);
  });

  it('accepts allowed origins only', async () => {
    const from = (origin: string) =>
      refusal(socket(url, { token, protocolVersion }, { extraHeaders: { origin } }));
    for (const origin of [
      appOrigin,
      url,
      url.replace('127.0.0.1', 'localhost'),
      url.replace('127.0.0.1', '[::1]'),
    ])
      expect([origin, await from(origin)]).toEqual([origin, null]);
    for (const origin of ['https://evil.example', 'null', `${appOrigin}.evil`])
      expect(await from(origin)).not.toBeNull();
  });

  it('accepts WebSocket only', async () => {
    const polling = await support.ask(url, 'GET', '/socket.io/?EIO=4&transport=polling');
    expect(polling.status).toBe(400);
    expect(polling.body).toEqual({
      code: 0,
      message: expect.stringContaining("transports: ['websocket']") as string,
    });
    expect(
      await refusal(socket(url, { token, protocolVersion }, { transports: ['polling'] })),
    ).not.toBeNull();
    // The error for an incomplete handshake names the missing fields.
    expect((await refusal(socket(url, {})))?.message).toContain(
      `auth: { token, protocolVersion: ${protocolVersion} }`,
    );
    expect((await refusal(socket(url, { token })))?.message).toContain(`protocolVersion: ${protocolVersion}`);
  });

  it('closes the connection on an upgrade of another path, even after an earlier request', async () => {
    const { hostname, port, host } = new URL(url);
    const tcp = createConnection({ host: hostname, port: Number(port) });
    const closed = once(tcp, 'close');
    tcp.resume();
    tcp.write(`GET /healthz HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
    tcp.write(`GET /other HTTP/1.1\r\nHost: ${host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`);
    await closed;
  });

  it('refuses an upgrade to WebSocket with another transport', async () => {
    const { hostname, port, host } = new URL(url);
    const tcp = createConnection({ host: hostname, port: Number(port) });
    const answer = once(tcp, 'data');
    const upgrade = 'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n';
    tcp.write(`GET /socket.io/?EIO=4&transport=polling HTTP/1.1\r\nHost: ${host}\r\n${upgrade}\r\n`);
    expect(String(await answer)).toMatch(/^HTTP\/1\.1 400 /);
    tcp.destroy();
    expect((await support.ask(url, 'GET', '/healthz')).status).toBe(200);
  });

  it('goes on when clients reset their connections while it refuses them', async () => {
    const { hostname, port } = new URL(url);
    for (let index = 0; index < 200; index++) {
      const tcp = createConnection({ host: hostname, port: Number(port) });
      tcp.on('error', () => {});
      await once(tcp, 'connect');
      const head = 'Host: foreign.example\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n';
      tcp.write(`GET /socket.io/?EIO=4&transport=websocket HTTP/1.1\r\n${head}\r\n`, () =>
        tcp.resetAndDestroy(),
      );
      await once(tcp, 'close');
    }
    expect((await support.ask(url, 'GET', '/healthz')).status).toBe(200);
  });

  it('rejects other namespaces, signed in or not', async () => {
    for (const auth of [{ token, protocolVersion }, {}]) {
      const refused = await refusal(socket(`${url}/admin`, auth));
      expect(refused?.message).toBe('Invalid namespace');
    }
  });

  it('limits the connections per wallet', async () => {
    const { token: own } = await signIn(url);
    const outcomes = await Promise.all(
      Array.from({ length: 66 }, () => refusal(socket(url, { token: own, protocolVersion }))),
    );
    const refused = outcomes.filter((outcome) => outcome !== null);
    expect(refused.length).toBeGreaterThanOrEqual(1);
    for (const { data } of refused)
      expect(data).toMatchObject({ code: 'RATE_LIMIT_EXCEEDED', retryAfter: 10 });
    // Other wallets are not affected.
    await expectWorking();
  });

  it('must succeed before any request', async () => {
    const early = await rawDevice({ token: 'forged', protocolVersion });
    expect(await early.frame('44')).toContain('AUTHENTICATION_REQUIRED');
    early.raw.send('421["session.ping",{}]');
    await until(early.isClosed, 'closed');
    expect(early.frames.some((frame) => frame.startsWith('43'))).toBe(false);
  });
});

describe('a request', () => {
  const callId = newId('call');
  const stranger = newWallet().address;
  it.each<[string, string, unknown[], string]>([
    ['an unknown name', 'calls.hack', [{}], 'NOT_FOUND'],
    ['the name of an event', 'call:incoming', [{}], 'NOT_FOUND'],
    ['an empty name', '', [{}], 'NOT_FOUND'],
    ['the name __proto__', '__proto__', [{}], 'NOT_FOUND'],
    ['the name constructor', 'constructor', [{}], 'NOT_FOUND'],
    ['the name toString', 'toString', [{}], 'NOT_FOUND'],
    ['the name hasOwnProperty', 'hasOwnProperty', [{}], 'NOT_FOUND'],
    ['the name error', 'error', [{}], 'NOT_FOUND'],
    ['a number as name', 7 as unknown as string, [{}], 'NOT_FOUND'],
    ['a very long name', 'x'.repeat(10_000), [{}], 'NOT_FOUND'],
    ['no payload', 'calls.end', [], 'VALIDATION_ERROR'],
    ['null', 'calls.end', [null], 'VALIDATION_ERROR'],
    ['a string', 'calls.end', ['{}'], 'VALIDATION_ERROR'],
    ['a number', 'calls.end', [1], 'VALIDATION_ERROR'],
    ['an array', 'calls.end', [[{ callId }]], 'VALIDATION_ERROR'],
    ['two payloads', 'calls.end', [{ callId }, { callId }], 'VALIDATION_ERROR'],
    ['an additional empty payload', 'session.ping', [{}, {}], 'VALIDATION_ERROR'],
    ['an unknown field', 'calls.end', [{ callId, force: true }], 'VALIDATION_ERROR'],
    ['a field of the wrong type', 'calls.end', [{ callId: { $ne: null } }], 'VALIDATION_ERROR'],
    ['an id of another kind', 'calls.end', [{ callId: newId('msg') }], 'VALIDATION_ERROR'],
    ['the field constructor', 'session.ping', [{ constructor: {} }], 'VALIDATION_ERROR'],
    ['a value above the maximum', 'calls.getHistory', [{ limit: 101 }], 'VALIDATION_ERROR'],
    ['a value below the minimum', 'calls.getHistory', [{ offset: -1 }], 'VALIDATION_ERROR'],
    ['an invalid time', 'calls.getHistory', [{ from: 'yesterday' }], 'VALIDATION_ERROR'],
    ['bytes', 'calls.end', [Buffer.from('bytes')], 'VALIDATION_ERROR'],
    ['bytes in a field', 'calls.end', [{ callId: Buffer.alloc(1_000_000) }], 'VALIDATION_ERROR'],
    [
      'several binary attachments',
      'calls.end',
      [[1, 2, 3, 4, 5].map(() => Buffer.alloc(100_000))],
      'VALIDATION_ERROR',
    ],
    ['an invalid wallet', 'calls.start', [{ to: 'bob', type: 'audio' }], 'INVALID_ADDRESS'],
    ['no wallet', 'calls.start', [{ type: 'audio' }], 'INVALID_ADDRESS'],
    [
      'a wallet with a wrong checksum',
      'calls.start',
      [{ to: `0xA${stranger.slice(3).toLowerCase()}`, type: 'audio' }],
      'INVALID_ADDRESS',
    ],
    ['an unknown call', 'calls.answer', [{ callId }], 'NOT_FOUND'],
    [
      'media of an unknown call',
      'media.join',
      [{ scope: 'call', id: callId, rtpCapabilities: { codecs: [] } }],
      'NOT_FOUND',
    ],
    ['media that was not joined', 'media.leave', [{ scope: 'call', id: '__proto__' }], 'ok'],
    [
      'an unknown transport',
      'media.restartIce',
      [{ scope: 'call', id: callId, transportId: 'x' }],
      'NOT_FOUND',
    ],
    [
      'an unknown producer',
      'media.closeProducer',
      [{ scope: 'call', id: callId, source: 'camera' }],
      'NOT_FOUND',
    ],
    [
      'unknown consumers',
      'media.resumeConsumers',
      [{ scope: 'call', id: callId, consumerIds: ['x'] }],
      'NOT_FOUND',
    ],
    [
      'media of an unknown conference',
      'media.join',
      [{ scope: 'conference', id: 'x', rtpCapabilities: { codecs: [] } }],
      'NOT_FOUND',
    ],
  ])('with %s gets an error code and keeps the connection', async (_case, name, args, expected) => {
    expect(await code(device, name, ...args)).toBe(expected);
    await expectWorking();
  });

  it.each(Object.keys(requests))('%s is validated before anything else', async (name) => {
    for (const payload of [undefined, 7, { unknownField: 1 }])
      expect(['VALIDATION_ERROR', 'INVALID_ADDRESS']).toContain(await code(device, name, payload));
  });

  it('gets the invalid fields in the error, and a log line with its request id', async () => {
    const answer = await send(device, 'calls.getHistory', { limit: 0, direction: 'up', extra: 1 });
    if (answer.ok) throw new Error('accepted');
    expect(answer.error.details?.map((detail) => detail.path).sort()).toEqual([
      'direction',
      'extra',
      'limit',
    ]);
    const [line] = await server.waitForLog(answer.error.requestId);
    expect(line).toMatchObject({ request: 'calls.getHistory', code: 'VALIDATION_ERROR' });
  });

  it('for a call of other wallets gets NOT_FOUND', async () => {
    const [caller, callee] = [await connected(url, (await signIn(url)).token), newWallet()];
    const started = await send(caller, 'calls.start', { to: callee.address, type: 'audio' });
    if (!started.ok) throw new Error(started.error.message);
    const { id } = started.data as { id: string };
    for (const name of ['answer', 'decline', 'end', 'mute', 'enableVideo', 'rejoin'])
      expect([name, await code(device, `calls.${name}`, { callId: id })]).toEqual([name, 'NOT_FOUND']);
    const join = { scope: 'call', id, rtpCapabilities: { codecs: [] } };
    expect(await code(device, 'media.join', join)).toBe('NOT_FOUND');
    const dtlsParameters = { fingerprints: [{ algorithm: 'sha-256', value: 'x' }] };
    expect(
      await code(device, 'media.connectTransport', {
        ...join,
        rtpCapabilities: undefined,
        transportId: 'x',
        dtlsParameters,
      }),
    ).toBe('NOT_FOUND');
    // The caller cannot answer the call either.
    expect(await code(caller, 'calls.answer', { callId: id })).toBe('CONFLICT');
    expect(await code(caller, 'calls.end', { callId: id })).toBe('ok');
  });

  it('without an acknowledgement gets its failure as an event', async () => {
    const failed = next<ErrorBody>(device, 'request:failed');
    device.emit('calls.end', { callId });
    expect(await failed).toMatchObject({
      code: 'NOT_FOUND',
      requestId: expect.stringMatching(/^req_/) as string,
    });
    await expectWorking();
  });
});

describe('a message', () => {
  const withBytes = (bytes: number) => {
    const payload = { extra: '' };
    payload.extra = 'x'.repeat(bytes - Buffer.byteLength(`2${0}["session.ping",${JSON.stringify(payload)}]`));
    return payload;
  };

  it.each<[string, number, RegExp]>([
    ['just under 64 KB', 64 * 1024 - 8, /^extra: /],
    ['just over 64 KB', 64 * 1024 + 8, /^A message may have 65536 bytes/],
    ['1 MB', 1024 * 1024, /^A message may have 65536 bytes/],
  ])('of %s gets an error', async (_case, bytes, message) => {
    const answer = await send(device, 'session.ping', withBytes(bytes));
    expect(answer).toMatchObject({ ok: false, error: { code: 'VALIDATION_ERROR' } });
    if (!answer.ok) expect(answer.error.message).toMatch(message);
    await expectWorking();
  });

  it('is measured in bytes, not characters', async () => {
    const answer = await send(device, 'session.ping', { extra: '漢'.repeat(30_000) });
    if (answer.ok) throw new Error('accepted');
    expect(answer.error.message).toMatch(/^A message may have 65536 bytes; this one has 90/);
  });

  it('over the maximum of the transport ends only its own connection', async () => {
    const other = await connected(url, (await signIn(url)).token);
    const closed = next(device, 'disconnect');
    device.emit('session.ping', { extra: 'x'.repeat(3 * 1024 * 1024) });
    await closed;
    await expectWorking(other);
  });

  it.each<[string, string, string]>([
    ['invalid JSON', '42["session.ping",{', 'request:failed'],
    ['invalid JSON with an acknowledgement id', '427["session.ping",{', '437['],
    ['an object instead of an array', '427{"session.ping":1}', 'request:failed'],
    ['an empty array', '427[]', '437['],
    ['an array without a name', '427[{}]', '437['],
    ['null as name', '427[null]', '437['],
    ['a reserved name', '427["disconnect"]', '437['],
    ['a reserved name and too many bytes', `427["disconnect","${'x'.repeat(70_000)}"]`, '437['],
    [
      'an escaped reserved name and too many bytes',
      `427["\\u0064isconnect","${'x'.repeat(70_000)}"]`,
      '437[',
    ],
    ['an unknown type', '49["session.ping",{}]', 'request:failed'],
    ['no type', '4', 'request:failed'],
    ['an event of another namespace', '42/admin,7["session.ping",{}]', 'request:failed'],
    ['a namespace without end', `42/${'x'.repeat(1_000)}`, 'request:failed'],
    ['very many announced attachments', '4599999-["x"]', 'request:failed'],
    ['announced attachments that never arrive', '453-7["calls.end",{"_placeholder":true,"num":0}]', '437['],
    ['a placeholder without an attachment', '427["calls.end",{"_placeholder":true,"num":0}]', '437['],
    ['deep nesting', `427["calls.end",${'['.repeat(20_000)}${']'.repeat(20_000)}]`, '437['],
    ['an own field __proto__', '427["session.ping",{"__proto__":{"x":1}}]', '437['],
    ['an acknowledgement of nothing', '43999["x"]', ''],
    ['a binary acknowledgement of nothing', '461-999[{"_placeholder":true,"num":0}]', 'request:failed'],
  ])('with %s does not end the connection', async (_case, frame, answer) => {
    const client = await rawDevice();
    client.raw.send(frame);
    const found = answer && (await client.frame(answer.startsWith('43') ? answer : '42["request:failed"'));
    if (found) expect(found).toContain('"VALIDATION_ERROR"');
    client.raw.send('428["session.ping",{}]');
    expect(await client.frame('438[')).toContain('"ok":true');
    expect(client.isClosed()).toBe(false);
    client.raw.close();
  });

  it('with unannounced bytes gets an error', async () => {
    const client = await rawDevice();
    client.raw.send(Buffer.from([1, 2, 3]));
    expect(await client.frame('42["request:failed"')).toContain('"VALIDATION_ERROR"');
    client.raw.send('451-7["calls.end",{"_placeholder":true,"num":0}]');
    client.raw.send(Buffer.alloc(500_000));
    await client.frame('437[');
    client.raw.send('428["session.ping",{}]');
    expect(await client.frame('438[')).toContain('"ok":true');
    expect(client.frames.filter((frame) => frame.startsWith('42["request:failed"'))).toHaveLength(1);
    client.raw.close();
  });

  it('named disconnect does not end the connection', async () => {
    const [caller, callee] = [
      await rawDevice({ token: (await signIn(url)).token, protocolVersion }),
      newWallet(),
    ];
    const start = JSON.stringify(['calls.start', { to: callee.address, type: 'audio' }]);
    caller.raw.send(`421${start}`);
    await caller.frame('431[');
    for (const event of ['["disconnect","transport close"]', `["disconnect","${'x'.repeat(70_000)}"]`])
      caller.raw.send(`42${event}`);
    await until(
      () => caller.frames.filter((frame) => frame.startsWith('42["request:failed"')).length === 2,
      'refused',
    );
    caller.raw.send('422["calls.getActive",{}]');
    expect(await caller.frame('432[')).toContain('"ringing"');
    caller.raw.close();
  });
});

it('leaves the server ready, without errors or dead workers', async () => {
  expect((await support.ask(url, 'GET', '/readyz')).status).toBe(200);
  expect(server.logged('"level":50')).toEqual([]);
  expect(server.logged('media worker died')).toEqual([]);
});
