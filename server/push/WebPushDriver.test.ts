import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { PushService } from '../../test/harness/services/PushService.ts';
import { AddressNotAllowed } from '../outgoing/guardedLookup.ts';
import { OutsideClient } from '../outgoing/OutsideClient.ts';
import { callPush } from '../../test/harness/services/pushTokens.ts';
import { vapidKeys } from './vapidKeys.ts';
import { WebPushDriver } from './WebPushDriver.ts';
import { loadSecrets } from '../../platform/secrets.ts';

let service: PushService;
const secretKey = 'a secret of at least 32 characters';
const secrets = await loadSecrets({ SECRET_KEY: secretKey, DATA_DIR: '' });
const keys = vapidKeys(secrets);

beforeAll(async () => {
  service = await PushService.start();
});
afterEach(() => expect(service.problems.splice(0)).toEqual([]));
afterAll(() => service?.close());

const own = new Set(['parley.example.org', '93.184.216.35']);

function driver(over: { resolve?: () => Promise<string[]>; allowLoopback?: boolean } = {}) {
  const resolve = () => Promise.resolve(['127.0.0.1']);
  const outside = new OutsideClient({ resolve, allowLoopback: true, own, ...over });
  return new WebPushDriver({ keys, subject: 'mailto:me@test.example', outside });
}

const target = (endpoint: string) => ({ ...service.subscribe(keys.publicKey).target, endpoint });

it('derives the same keys on all nodes from the same secret', async () => {
  expect(vapidKeys(await loadSecrets({ SECRET_KEY: secretKey, DATA_DIR: '' }))).toEqual(keys);
  expect(Buffer.from(keys.publicKey, 'base64url')).toHaveLength(65);
});

describe('addresses', () => {
  it.each([
    'https://127.0.0.1/push',
    'https://localhost/push',
    'https://[::1]/push',
    'https://10.0.0.1/push',
    'https://192.168.1.1/push',
    'https://169.254.169.254/latest/meta-data',
    'https://[fd00::1]/push',
    'https://user:password@push.example.com/push',
    'https://intranet/push',
    'https://metadata.google.internal/push',
    'https://printer.local/push',
    'https://router.home.arpa/push',
    'https://parley.example.org/push',
    'https://93.184.216.35/push',
  ])('refuses %s at registration', (endpoint) => {
    const check = () => driver({ allowLoopback: false }).check(target(endpoint));
    expect(check).toThrow(expect.objectContaining({ code: 'VALIDATION_ERROR' }) as Error);
  });

  it.each(['https://fcm.googleapis.com/fcm/send/x', 'https://updates.push.services.mozilla.com/wpush/v2/x'])(
    'accepts %s',
    (endpoint) => driver({ allowLoopback: false }).check(target(endpoint)),
  );

  it.each([
    ['this machine', '127.0.0.1'],
    ['a private network', '10.1.2.3'],
    ['cloud metadata', '169.254.169.254'],
    ['this server', '93.184.216.35'],
  ])('refuses to connect to a name that resolves to %s', async (_what, address) => {
    const inside = driver({ allowLoopback: false, resolve: () => Promise.resolve([address]) });
    const outcome = await inside.send(target('https://push.example.com/push'), callPush());
    expect(outcome).toEqual({ state: 'failed', why: new AddressNotAllowed().code });
  });

  it('refuses an invalid key', () => {
    const p256dh = Buffer.alloc(65, 4).toString('base64url');
    const check = () => driver().check({ ...target('https://push.example.com/'), p256dh });
    expect(check).toThrow(expect.objectContaining({ code: 'VALIDATION_ERROR' }) as Error);
  });
});

it('retries later if the service cannot be reached or trusted', async () => {
  expect(await driver().send(target('https://127.0.0.1:9/push'), callPush())).toMatchObject({
    state: 'later',
  });
  // The certificate is self-signed and not trusted by this process.
  expect(await driver().send(target(`${service.origin}/push`), callPush())).toMatchObject({ state: 'later' });
});
