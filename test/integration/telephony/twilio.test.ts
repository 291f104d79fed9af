import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { newId } from '../../../sdk/protocol/ids.ts';
import type {
  CarrierEvents,
  InboundText,
  Receipt,
  Submission,
} from '../../../server/telephony/sms/Carrier.ts';
import { CarrierError } from '../../../server/telephony/sms/CarrierError.ts';
import { twilioAccount } from '../../harness/services/FakeTwilio.ts';
import { until } from '../../harness/until.ts';
import { startTwilioWorld, twilioPool } from './twilioSupport.ts';

/* The Twilio driver (with Twilio's library) against a fake of its documented API. */

type World = Awaited<ReturnType<typeof startTwilioWorld>>;
let world: World;
const texts: InboundText[] = [];
const receipts: Receipt[] = [];
let refuse = 0;
const [one = '', other = ''] = twilioPool;

const store = <T>(into: T[], what: T): Promise<void> => {
  if (refuse > 0) {
    refuse--;
    return Promise.reject(new Error('the database is unavailable'));
  }
  into.push(what);
  return Promise.resolve();
};
const events: CarrierEvents = {
  inbound: (text) => store(texts, text),
  receipt: (receipt) => store(receipts, receipt),
};

beforeAll(async () => {
  world = await startTwilioWorld({ submitMs: 4_000 });
  await world.carrier.start(events);
});
afterAll(async () => {
  await world?.carrier.close();
  await world?.close();
});
beforeEach(() => {
  world.twilio.onSend = null;
  world.twilio.callbackCopies = 1;
  refuse = 0;
  texts.length = receipts.length = 0;
});

const text = (over: Partial<Submission> = {}): Submission => ({
  id: newId('msg'),
  from: one,
  to: other,
  text: `hello ${newId('msg')}`,
  encoding: 'GSM-7' as const,
  segments: 1,
  mediaUrls: [],
  ...over,
});
const refusalOf = (sending: Promise<unknown>) =>
  sending.then(
    () => null,
    (error: unknown) => error,
  );

describe('a text that Twilio rejects', () => {
  it.each([
    [400, 21211, 'permanent', 'invalid_destination'],
    [400, 21610, 'permanent', 'blocked'],
    [400, 21606, 'permanent', 'invalid_sender'],
    [400, 21617, 'permanent', 'rejected'],
    [429, 20429, 'temporary', 'carrier_unavailable'],
    [401, 20003, 'temporary', 'carrier_unavailable'],
  ])('with status %i and code %i fails as %s, %s', async (status, code, kind, reason) => {
    world.twilio.onSend = () => ({ status, code });
    const submission = text();
    const refusal = await refusalOf(world.carrier.send(submission));
    expect(refusal).toBeInstanceOf(CarrierError);
    expect(refusal).toMatchObject({
      kind,
      code: reason,
      message: expect.stringContaining(String(code)) as string,
    });
    expect(await world.carrier.getOutcome(submission)).toEqual({ outcome: 'not_sent' });
  });

  it('with a server error has an unknown outcome', async () => {
    world.twilio.onSend = () => ({ status: 503, code: 20503 });
    expect(await refusalOf(world.carrier.send(text()))).toMatchObject({ kind: 'unknown' });
  });
});

describe('a text with a lost response', () => {
  it('is found and not confused with another text of the same content', async () => {
    const submission = text({ text: 'the same content' });
    const { references } = await world.carrier.send({ ...submission, id: newId('msg') });
    world.twilio.onSend = () => 'answer lost';
    expect(await refusalOf(world.carrier.send(submission))).toMatchObject({ kind: 'unknown' });
    const found = world.twilio.messages.at(-1);
    expect(await world.carrier.getOutcome(submission)).toEqual({
      outcome: 'accepted',
      references: [found?.sid],
    });
    expect(references).not.toContain(found?.sid);
  });

  it('is sent again only after Twilio has had time to list it', async () => {
    const submission = text();
    world.twilio.onSend = () => 'request lost';
    expect(await refusalOf(world.carrier.send(submission))).toMatchObject({ kind: 'unknown' });
    world.twilio.onSend = null;
    await expect(world.carrier.getOutcome(submission)).rejects.toThrow('too early');
    expect(await refusalOf(world.carrier.send(submission))).toMatchObject({ kind: 'unknown' });
    expect(world.twilio.messages.filter(({ body }) => body === submission.text)).toEqual([]);
    await world.db.execute(
      sql`UPDATE handed_parts SET at = at - interval '3 minutes' WHERE submission_id = ${submission.id}`,
    );
    expect(await world.carrier.getOutcome(submission)).toEqual({ outcome: 'not_sent' });
    await world.carrier.send(submission);
  });

  it('is found if the clock of Twilio is behind', async () => {
    const submission = text();
    world.twilio.onSend = () => 'answer lost';
    expect(await refusalOf(world.carrier.send(submission))).toMatchObject({ kind: 'unknown' });
    await world.db.execute(
      sql`UPDATE handed_parts SET at = at + interval '30 seconds' WHERE submission_id = ${submission.id}`,
    );
    const found = world.twilio.messages.at(-1);
    expect(await world.carrier.getOutcome(submission)).toEqual({
      outcome: 'accepted',
      references: [found?.sid],
    });
  });

  it('is not sent again too early if the clock of a node is ahead', async () => {
    const submission = text();
    world.twilio.onSend = () => 'request lost';
    expect(await refusalOf(world.carrier.send(submission))).toMatchObject({ kind: 'unknown' });
    vi.useFakeTimers({ toFake: ['Date'] });
    try {
      vi.setSystemTime(Date.now() + 3_600_000);
      await expect(world.carrier.getOutcome(submission)).rejects.toThrow('too early');
    } finally {
      vi.useRealTimers();
    }
  });

  it('is identified by its receipt', async () => {
    const [first, second] = [text({ text: 'twice the same' }), text({ text: 'twice the same' })];
    world.twilio.onSend = () => 'answer lost';
    for (const each of [first, second]) await refusalOf(world.carrier.send(each));
    expect(await world.carrier.getOutcome(second)).toEqual({ outcome: 'unknown' });
    const message = world.twilio.messages.at(-1);
    if (!message) throw new Error('no message');
    expect(await world.twilio.status(message, 'delivered')).toBe(204);
    const found = receipts.filter(({ reference }) => reference === message.sid);
    expect(found).toMatchObject([{ submissionId: second.id, state: 'delivered' }]);
    const accepted = { outcome: 'accepted', references: [message.sid] };
    expect(await world.carrier.getOutcome(second)).toEqual(accepted);
  });

  it('is known not to have been sent if the connection was refused', async () => {
    const stopped = await startTwilioWorld();
    await stopped.carrier.start(events);
    await stopped.twilio.stop();
    const submission = text();
    const refusal = await refusalOf(stopped.carrier.send(submission));
    expect(refusal).toMatchObject({
      kind: 'temporary',
      message: expect.stringContaining('ECONNREFUSED') as string,
    });
    expect(await stopped.carrier.getOutcome(submission)).toEqual({ outcome: 'not_sent' });
    await expect(stopped.carrier.check()).rejects.toMatchObject({ kind: 'temporary' });
    await stopped.close();
  });
});

describe('callbacks', () => {
  const parameters = {
    MessageSid: `SM${'0'.repeat(32)}`,
    From: one,
    To: other,
    Body: 'forged',
    NumMedia: '0',
  };

  it('are accepted only with a Twilio signature for this URL', async () => {
    const { twilio, publicUrl } = world;
    const address = `${publicUrl}/callbacks/twilio/inbound`;
    expect(await twilio.post(address, parameters, 'another token')).toBe(403);
    const post = (headers: Record<string, string>, body: Record<string, string>) =>
      fetch(address, { method: 'POST', headers, body: new URLSearchParams(body) }).then(
        ({ status }) => status,
      );
    expect(await post({}, parameters)).toBe(403);
    // Signatures that are valid for other URLs.
    const otherSignatures = new Map<string, string>();
    const { default: library } = await import('twilio');
    for (const url of [
      `${publicUrl}/callbacks/twilio/status`,
      'https://other.example/callbacks/twilio/inbound',
    ])
      otherSignatures.set(url, library.getExpectedTwilioSignature(twilioAccount.authToken, url, parameters));
    for (const signature of otherSignatures.values())
      expect(await post({ 'X-Twilio-Signature': signature }, parameters)).toBe(403);
    const right = library.getExpectedTwilioSignature(twilioAccount.authToken, address, parameters);
    expect(await post({ 'X-Twilio-Signature': right }, { ...parameters, Body: 'changed' })).toBe(403);
    expect(texts).toEqual([]);
    expect(await post({ 'X-Twilio-Signature': right }, parameters)).toBe(200);
    expect(texts).toMatchObject([{ text: 'forged', reference: parameters.MessageSid }]);
  });

  it('are rejected with invalid parameters', async () => {
    const { twilio, publicUrl } = world;
    const inbound = `${publicUrl}/callbacks/twilio/inbound`;
    expect(await twilio.post(inbound, { ...parameters, MessageSid: '../..' })).toBe(400);
    expect(await twilio.post(inbound, { ...parameters, NumMedia: '1000' })).toBe(400);
    expect(await twilio.post(`${publicUrl}/callbacks/twilio/status?submission=no`, parameters)).toBe(400);
    expect(texts).toEqual([]);
  });

  it('contain image URLs, and the same reference when repeated', async () => {
    world.twilio.callbackCopies = 2;
    const mediaUrls = ['https://api.twilio.com/2010-04-01/a', 'https://api.twilio.com/2010-04-01/b'];
    expect(await world.twilio.inbound({ from: '+447700900123', to: one, body: 'look', mediaUrls })).toBe(200);
    expect(texts).toMatchObject([
      { text: 'look', mediaUrls, from: '+447700900123', to: one },
      { text: 'look' },
    ]);
    expect(texts[0]?.reference).toBe(texts[1]?.reference);
  });

  it('contain the keywords that Twilio has answered itself', async () => {
    const from = '+447700900123';
    for (const [body = '', optOutType] of [['Baja', 'STOP'], ['Alta', 'START'], ['?', 'LATER'], ['STOP']])
      expect(await world.twilio.inbound({ from, to: one, body, optOutType })).toBe(200);
    expect(texts.map(({ text: body, answeredKeyword }) => [body, answeredKeyword])).toEqual([
      ['Baja', 'stop'],
      ['Alta', 'start'],
      ['?', undefined],
      ['STOP', undefined],
    ]);
  });

  it('are repeated when they could not be stored', async () => {
    refuse = 2;
    expect(await world.twilio.inbound({ from: '+447700900123', to: one, body: 'at last' })).toBe(200);
    expect(texts).toMatchObject([{ text: 'at last' }]);
  });

  it('contain the reason of a failed delivery', async () => {
    const { references } = await world.carrier.send(text({ to: '+447700900199' }));
    const isFailed = ({ reference, state }: Receipt) => reference === references[0] && state === 'failed';
    await until(() => receipts.some(isFailed), 'the text fails');
    const found = receipts.filter((each) => each.reference === references[0]);
    expect(found).toMatchObject([
      { state: 'sent' },
      { state: 'failed', errorCode: 'unreachable', errorMessage: 'The carrier reports Twilio 30003.' },
    ]);
  });
});

describe('numbers', () => {
  it('send their callbacks to this server once bought', async () => {
    const { market } = world.carrier;
    const query = {
      country: 'GB',
      type: 'mobile' as const,
      areaCode: '7400',
      phoneNumber: null,
      capabilities: [],
      limit: 5,
    };
    const [offer] = await market.search(query);
    if (!offer) throw new Error('nothing is for sale');
    expect(offer.capabilities).toEqual({ sms: true, mms: false, voice: true });
    const bought = await market.buy({ ...offer, orderId: newId('ord') });
    expect(await world.twilio.inbound({ from: one, to: offer.phoneNumber, body: 'to the bought one' })).toBe(
      200,
    );
    expect(texts).toMatchObject([{ to: offer.phoneNumber, text: 'to the bought one' }]);
    await market.release({ reference: bought.reference });
    expect(await market.search({ ...query, areaCode: '20' })).toEqual([]);
    expect(await market.types('US')).toEqual([]);
  });
});

it('sends image URLs, and caches the result of check()', async () => {
  const mediaUrls = ['https://media.example/a.png'];
  await world.carrier.send(text({ mediaUrls }));
  expect(world.twilio.messages.at(-1)).toMatchObject({ mediaUrls });
  for (let times = 0; times < 3; times++) await world.carrier.check();
  const account = `GET /2010-04-01/Accounts/${twilioAccount.accountSid}.json`;
  expect(world.twilio.requests.filter((each) => each === account)).toHaveLength(1);
});

it('logs neither credentials nor texts', () => {
  const log = world.logged.join();
  expect(log).toContain('without a valid Twilio signature');
  expect(log).not.toContain(twilioAccount.authToken);
  expect(log).not.toMatch(/hello msg|the same content|forged/);
});
