import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { WireSession } from '../../../sdk/protocol/session.ts';
import { protocolVersion } from '../../../sdk/protocol/version.ts';
import { ServerProcess } from '../../harness/nodes/ServerProcess.ts';
import { until } from '../../harness/until.ts';
import { ask, closeSockets, newWallet, refusal, signedMessage, socket, verify } from '../support.ts';

/* Which origins may use a server, tested with the Origin headers that browsers and app shells send. */

const shells = [
  'capacitor://localhost',
  'ionic://localhost',
  'tauri://localhost',
  'app://parley',
  'http://tauri.localhost',
];
const foreign = ['https://evil.example', 'capacitor://evil', 'chrome-extension://abc', 'file://'];

let development: ServerProcess;
let production: ServerProcess;

beforeAll(async () => {
  [development, production] = await Promise.all([
    ServerProcess.start(),
    ServerProcess.start(({ port }) => ({
      NODE_ENV: 'production',
      SECRET_KEY: '9f86d081884c7d659a2feaa0c55ad015',
      PUBLIC_URL: `http://127.0.0.1:${port}`,
      ALLOWED_ORIGINS: [...shells, 'https://app.example', 'null'].join(),
    })),
  ]);
});
afterEach(() => closeSockets());
afterAll(() => Promise.all([development?.dispose(), production?.dispose()]));

const signedIn = async (url: string, origin: string): Promise<WireSession> => {
  const message = await signedMessage(url, newWallet(), { origin });
  const reply = await verify(url, message, { Origin: origin });
  expect([origin, reply.status, reply.headers['access-control-allow-origin']]).toEqual([origin, 200, origin]);
  return reply.body as unknown as WireSession;
};

const connects = async (url: string, origin: string | undefined, token: string) => {
  const extraHeaders = origin === undefined ? {} : { Origin: origin };
  return (await refusal(socket(url, { token, protocolVersion }, { extraHeaders })))?.message ?? 'connected';
};

describe('origins', () => {
  it.each([...shells, 'https://app.example'])('accepts sign-in and connections from %s', async (origin) => {
    const { token } = await signedIn(production.url, origin);
    expect(await connects(production.url, origin, token)).toBe('connected');
  });

  it('accepts localhost on any port in development', async () => {
    for (const origin of ['http://localhost:5173', 'https://127.0.0.1:8443', 'http://[::1]:1234']) {
      const { token } = await signedIn(development.url, origin);
      expect(await connects(development.url, origin, token)).toBe('connected');
    }
    const message = await signedMessage(development.url, newWallet(), { origin: 'http://localhost:5173' });
    const dashboard = await verify(development.url, { ...message, audience: 'dashboard' });
    expect(dashboard.status).toBe(403);
  });

  it('accepts React Native, whether its origin is the server address or missing', async () => {
    const emulator = `http://10.0.2.2:${development.ports.port}`;
    const { token } = await signedIn(development.url, emulator);
    for (const origin of [emulator, undefined])
      expect(await connects(development.url, origin, token)).toBe('connected');
  });

  it('accepts connections from the null origin only where it is allowed', async () => {
    const { token } = await signedIn(production.url, production.url);
    for (const origin of ['null', 'file://'])
      expect(await connects(production.url, origin, token)).toBe('connected');
    expect(await connects(development.url, 'null', token)).not.toBe('connected');
    expect(await production.waitForLog('ALLOWED_ORIGINS contains null')).toHaveLength(1);
  });

  it('refuses other origins, reports the refusal in the status response, and logs each origin once', async () => {
    for (const origin of foreign.slice(0, 3)) {
      expect(await connects(production.url, origin, '')).not.toBe('connected');
      const message = await signedMessage(production.url, newWallet(), { origin });
      expect((await verify(production.url, message)).status).toBe(401);
      const status = await ask(production.url, 'GET', '/api/v1/status', { headers: { Origin: origin } });
      expect(status.headers).toMatchObject({
        'access-control-allow-origin': '*',
        'x-origin-refused': 'true',
      });
      const account = await ask(production.url, 'GET', '/api/v1/account', { headers: { Origin: origin } });
      expect(account.headers['access-control-allow-origin']).toBeUndefined();
      const refusals = () =>
        production.logged('origin refused').filter((line) => line['origin'] === origin).length;
      await until(refusals, 'the refusal is logged');
      expect(refusals()).toBe(1);
    }
    const own = await ask(production.url, 'GET', '/api/v1/status', { headers: { Origin: production.url } });
    expect(own.headers['x-origin-refused']).toBeUndefined();
  });
});
