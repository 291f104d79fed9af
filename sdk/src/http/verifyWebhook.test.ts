import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { verifyWebhook } from './verifyWebhook.ts';

const secret = `whsec_${Buffer.from('a secret of at least 24 bytes').toString('base64')}`;
const other = `whsec_${Buffer.from('another secret, of 24 bytes').toString('base64')}`;
const body =
  '{"type":"webhook.test","timestamp":"2026-11-20T12:00:00.000Z","data":{"numberId":"num_1","phoneNumber":"+1"}}';

/** Signs with the independent library. */
function signed(by = secret, at = new Date()): Record<string, string> {
  return {
    'webhook-id': 'evt_1',
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': new Webhook(by).sign('evt_1', at, body),
  };
}
const reason = (...given: Parameters<typeof verifyWebhook>) =>
  verifyWebhook(...given).then(
    () => null,
    (error: { code: string; reason: string }) => [error.code, error.reason],
  );

describe('verifyWebhook', () => {
  it('accepts a signed body as text or bytes, with headers of any form', async () => {
    const event = await verifyWebhook(body, signed(), secret);
    expect(event).toEqual({
      type: 'webhook.test',
      timestamp: new Date('2026-11-20T12:00:00.000Z'),
      data: { numberId: 'num_1', phoneNumber: '+1' },
    });
    const upper = Object.fromEntries(
      Object.entries(signed()).map(([name, value]) => [name.toUpperCase(), [value]]),
    );
    for (const payload of [Buffer.from(body), new TextEncoder().encode(body).buffer])
      for (const headers of [new Headers(signed()), upper])
        expect(await verifyWebhook(payload, headers, secret)).toEqual(event);
    expect(await verifyWebhook(body, signed(), secret.slice('whsec_'.length))).toEqual(event);
  });

  it('accepts one valid signature among several', async () => {
    const signature = `v1,AAAA v2,x ${signed(other)['webhook-signature']} ${signed()['webhook-signature']} v1`;
    expect(await reason(body, { ...signed(), 'webhook-signature': signature }, secret)).toBeNull();
  });

  it.each([
    ['another body', `${body} `, signed(), 'invalid_signature'],
    ['another secret', body, signed(other), 'invalid_signature'],
    ['another id', body, { ...signed(), 'webhook-id': 'evt_2' }, 'invalid_signature'],
    [
      'another version',
      body,
      { ...signed(), 'webhook-signature': signed()['webhook-signature']?.replace('v1', 'v2') },
      'invalid_signature',
    ],
    ['no signature', body, { ...signed(), 'webhook-signature': undefined }, 'missing_signature'],
    ['a malformed signature', body, { ...signed(), 'webhook-signature': 'v1,%%% v1' }, 'invalid_signature'],
    ['an invalid timestamp', body, { ...signed(), 'webhook-timestamp': '1e9' }, 'invalid_signature'],
    [
      'a timestamp in the past',
      body,
      signed(secret, new Date(Date.now() - 301_000)),
      'timestamp_out_of_range',
    ],
    [
      'a timestamp in the future',
      body,
      signed(secret, new Date(Date.now() + 302_000)),
      'timestamp_out_of_range',
    ],
  ])('rejects %s', async (_name, payload, headers, expected) => {
    expect(await reason(payload, headers, secret)).toEqual(['VALIDATION_ERROR', expected]);
  });

  it('rejects an invalid secret, and applies toleranceSeconds', async () => {
    for (const wrong of ['', 'whsec_', 'whsec_%%%'])
      expect(await reason(body, signed(), wrong)).toEqual(['VALIDATION_ERROR', 'invalid_secret']);
    const old = signed(secret, new Date(Date.now() - 600_000));
    expect(await reason(body, old, secret, { toleranceSeconds: 700 })).toBeNull();
  });
});
