import type { Socket } from 'socket.io-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../../sdk/protocol/ids.ts';
import { protocolVersion } from '../../../sdk/protocol/version.ts';
import { ServerProcess } from '../../harness/nodes/ServerProcess.ts';
import { until } from '../../harness/until.ts';
import {
  ask,
  closeSockets,
  code,
  connected,
  newWallet,
  next,
  send,
  signIn,
  type RawAnswer,
} from '../support.ts';
import { openRawDevice } from './openRawDevice.ts';

const rateLimit = 60;
let server: ServerProcess;
let url: string;
let token: string;
/** A device that exceeds the rate limit during set-up, so that less of the limit's window is left when its test starts. */
let eager: { device: Socket; answers: Promise<RawAnswer[]>; askedAt: number };

beforeAll(async () => {
  server = await ServerProcess.start({ RATE_LIMIT_REALTIME: String(rateLimit) });
  url = server.url;
  token = (await signIn(url)).token;
  const device = await connected(url, (await signIn(url)).token);
  const asked = Array.from({ length: rateLimit + 20 }, () => send(device, 'session.ping', {}));
  eager = { device, answers: Promise.all(asked), askedAt: Date.now() };
});
afterAll(async () => {
  closeSockets();
  await server?.dispose();
});

const expectWorking = async (device: Socket) => {
  expect(device.connected).toBe(true);
  expect(await code(device, 'session.ping', {})).toBe('ok');
};

describe('many messages', () => {
  it('over the limit get RATE_LIMIT_EXCEEDED and keep the connection', async () => {
    const answers = await eager.answers;
    const refused = answers.flatMap((answer) => (answer.ok ? [] : [answer.error]));
    expect(refused).toHaveLength(20);
    for (const error of refused) {
      expect(error.code).toBe('RATE_LIMIT_EXCEEDED');
      expect(error.retryAfter).toBeGreaterThanOrEqual(1);
      expect(error.retryAfter).toBeLessThanOrEqual(10);
    }
    // After the window, requests are accepted again.
    const over = eager.askedAt + 10_500;
    await new Promise((resolve) => setTimeout(resolve, over - Date.now()));
    await expectWorking(eager.device);
  });

  it('are counted per connection, including invalid ones', async () => {
    const device = await connected(url, token);
    for (let sent = 0; sent < rateLimit; sent++) device.emit('session.ping', 'x'.repeat(70_000));
    expect(await code(device, 'session.ping', {})).toBe('RATE_LIMIT_EXCEEDED');
    await expectWorking(await connected(url, token));
  });

  it('far over the limit close only the connection that sent them', async () => {
    const flooding = await connected(url, (await signIn(url)).token);
    const other = await connected(url, token);
    const closed = next(flooding, 'disconnect', 10_000);
    for (let sent = 0; sent < rateLimit * 10 + 50; sent++) flooding.emit('session.ping', {});
    expect(await closed).toBe('io server disconnect');
    await expectWorking(other);
    expect(await server.waitForLog('floods the server')).toHaveLength(1);
  });

  it('whose answers are not read close their connection', async () => {
    const patient = await ServerProcess.start({ RATE_LIMIT_REALTIME: '1000000' });
    try {
      const client = await openRawDevice(patient.url, {
        token: (await signIn(patient.url)).token,
        protocolVersion,
      });
      // Like a program that stops reading, so that TCP holds back the answers.
      client.stopReading();
      const long = Object.fromEntries(
        Array.from({ length: 10 }, (_, index) => [`${index}${'x'.repeat(300)}`, 1]),
      );
      const frame = `427["session.ping",${JSON.stringify(long)}]`;
      const isClosed = () => patient.logged('client does not read: connection closed').length > 0;
      for (let round = 0; round < 200 && !isClosed(); round++) {
        for (let sent = 0; sent < 100; sent++) client.raw.send(frame);
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      await until(isClosed, 'the connection is closed');
      expect((await ask(patient.url, 'GET', '/readyz')).status).toBe(200);
      client.raw.terminate();
    } finally {
      await patient.dispose();
    }
  });

  it('to a wallet that answers pings but reads nothing close its connection', async () => {
    const patient = await ServerProcess.start({
      RATE_LIMIT_MESSAGES: '100000',
      RATE_LIMIT_REALTIME: '100000',
    });
    try {
      const victim = newWallet();
      const auth = { token: (await signIn(patient.url, victim)).token, protocolVersion };
      const client = await openRawDevice(patient.url, auth);
      client.stopReading();
      const pongs = setInterval(() => client.raw.send('3'), 1_000);
      const writer = await connected(patient.url, (await signIn(patient.url)).token);
      const isClosed = () => patient.logged('client does not read: connection closed').length > 0;
      const content = '😀'.repeat(9_000);
      let sent = 0;
      while (sent < 1_000 && !isClosed()) {
        const ten = Array.from({ length: 10 }, () =>
          send(writer, 'messages.send', { id: newId('msg'), to: victim.address, type: 'text', content }),
        );
        for (const answer of await Promise.all(ten)) expect(answer.ok).toBe(true);
        sent += 10;
      }
      clearInterval(pongs);
      await until(isClosed, 'the connection is closed');
      expect(patient.logged('client does not read')[0]).toMatchObject({
        wallet: expect.stringMatching(/^wallet-[0-9a-f]{12}$/) as string,
      });
      // Nothing is lost: the next connection can request the missed events.
      const back = await connected(patient.url, auth.token);
      const missed = await send(back, 'session.catchUp', { after: 0 });
      expect(missed.ok && JSON.stringify(missed.data)).toContain('message:received');
      client.raw.terminate();
    } finally {
      await patient.dispose();
    }
  });
});

it('leaves the server ready, without errors or dead workers', async () => {
  expect((await ask(url, 'GET', '/readyz')).status).toBe(200);
  expect(server.logged('"level":50')).toEqual([]);
  expect(server.logged('media worker died')).toEqual([]);
});
