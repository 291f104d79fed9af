import { setTimeout as delay } from 'node:timers/promises';
import selfsigned from 'selfsigned';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import smpp from 'smpp';
import type { Database } from '../../../platform/database/database.ts';
import { Smsc, smscUser } from '../../harness/services/Smsc.ts';
import { until } from '../../harness/until.ts';
import { carrierNumbers, openTestDatabase, SmppClient, submission } from './smppSupport.ts';

/* The bind and the outcome of submits, with an SMSC (the server side of the npm package smpp). */

let db: Database;
let closeDatabase: () => Promise<void>;
let smsc: Smsc;
let client: SmppClient;

beforeAll(async () => {
  ({ db, close: closeDatabase } = await openTestDatabase());
});
afterAll(() => closeDatabase?.());
beforeEach(async () => {
  smsc = await Smsc.start({ users: [smscUser(carrierNumbers)] });
});
afterEach(async () => {
  await client?.carrier.close();
  await smsc?.stop();
});

const connect = async (over: ConstructorParameters<typeof SmppClient>[2] = {}) => {
  client = await new SmppClient(smsc.url(), db, over).start();
  return client.carrier;
};
const refusalOf = (sending: Promise<unknown>) =>
  sending.then(
    () => null,
    (error: unknown) => error,
  );

describe('the bind', () => {
  it.each(['transceiver', 'separate'] as const)('is opened as %s and closed with an unbind', async (bind) => {
    const carrier = await connect({ bind });
    const made = bind === 'separate' ? ['bind_receiver', 'bind_transmitter'] : ['bind_transceiver'];
    expect(smsc.binds.sort()).toEqual(made);
    await carrier.close();
    expect(smsc.commands.filter((each) => each === 'unbind')).toHaveLength(made.length);
    await until(() => smsc.binds.length === 0, 'unbound');
  });

  it('is restored automatically, and nothing is sent in the meantime', async () => {
    const carrier = await connect();
    await smsc.stop();
    await until(async () => !(await client.isBound()), 'the loss is detected');
    const delayed = submission();
    expect(await refusalOf(carrier.send(delayed))).toMatchObject({
      kind: 'temporary',
      code: 'carrier_unavailable',
    });
    expect(await carrier.getOutcome(delayed)).toEqual({ outcome: 'not_sent' });
    await smsc.listen();
    await client.bound();
    await carrier.send(delayed);
    await client.arrived(delayed.text);
  });

  it('answers enquire_link and binds again after an unbind', async () => {
    await connect();
    await smsc.request('enquire_link');
    await smsc.request('unbind');
    await until(
      () => smsc.commands.filter((each) => each === 'bind_transceiver').length === 2,
      'bound again',
    );
  });

  it('is replaced when the SMSC stops answering', async () => {
    await connect({ enquireMs: 100, answerMs: 300 });
    await until(() => smsc.commands.includes('enquire_link'), 'the SMSC is asked');
    smsc.isUnresponsive = true;
    await until(async () => !(await client.isBound()), 'the loss is detected');
    smsc.isUnresponsive = false;
    await client.bound();
  });

  it('fails with a wrong password, which is not logged', async () => {
    const { port } = smsc;
    client = new SmppClient(`smpp://parley:s3cret-p%40ss@127.0.0.1:${port}`, db);
    await client.carrier.start(client);
    await until(() => client.logged.some((line) => line.includes('ESME_RINVPASWD')), 'the bind is refused');
    expect(await client.isBound()).toBe(false);
    expect(client.logged.join()).not.toContain('s3cret');
  });

  it('over TLS requires a trusted certificate', async () => {
    await smsc.stop();
    const { private: key, cert } = await selfsigned.generate([{ name: 'commonName', value: '127.0.0.1' }], {
      extensions: [{ name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] }],
    });
    smsc = await Smsc.start({ users: [smscUser(carrierNumbers)], tls: { key, cert } });
    expect(smsc.url()).toMatch(/^smpps:/);
    const stranger = new SmppClient(smsc.url(), db);
    await stranger.carrier.start(stranger);
    await until(
      () => stranger.logged.some((line) => /self-signed|SELF_SIGNED/.test(line)),
      'the bind is refused',
    );
    await stranger.carrier.close();
    expect(smsc.binds).toEqual([]);
    const carrier = await connect({ ca: cert });
    const text = submission();
    await carrier.send(text);
    await client.arrived(text.text);
  });
});

describe('submits', () => {
  it('are limited to a window of unanswered submits', async () => {
    // Longer than it takes to write a full window.
    smsc.answerAfterMs = 300;
    const carrier = await connect({ window: 4, submitMs: 30_000 });
    await Promise.all(Array.from({ length: 20 }, () => carrier.send(submission())));
    expect(smsc.submits).toHaveLength(20);
    expect(smsc.mostOutstanding).toBe(4);
  });

  it('that are throttled are not sent, and the bind pauses', async () => {
    const carrier = await connect();
    let throttledAt = Infinity;
    smsc.onSubmit = () => {
      throttledAt = performance.now();
      return smpp.errors.ESME_RTHROTTLED;
    };
    const text = submission();
    expect(await refusalOf(carrier.send(text))).toMatchObject({
      kind: 'temporary',
      code: 'carrier_unavailable',
    });
    expect(await carrier.getOutcome(text)).toEqual({ outcome: 'not_sent' });
    smsc.onSubmit = () => 0;
    await carrier.send(text);
    expect(performance.now() - throttledAt).toBeGreaterThan(990);
    expect(await carrier.getOutcome(text)).toMatchObject({ outcome: 'accepted' });
  });

  it('of a long text continue after a throttled part', async () => {
    const carrier = await connect();
    const text = submission({ text: 'long words, '.repeat(40) });
    let asked = 0;
    smsc.onSubmit = () => (++asked === 2 ? smpp.errors.ESME_RTHROTTLED : 0);
    const { references } = await carrier.send(text);
    expect(references).toHaveLength(text.segments);
    expect(asked).toBe(text.segments + 1);
    await client.arrived(text.text);
  });

  it('of a long text have an unknown outcome after a rejected part', async () => {
    const carrier = await connect();
    const text = submission({ text: 'long words, '.repeat(40) });
    smsc.onSubmit = () => (smsc.submits.length === 2 ? smpp.errors.ESME_RSUBMITFAIL : 0);
    expect(await refusalOf(carrier.send(text))).toMatchObject({ kind: 'unknown' });
    expect(await carrier.getOutcome(text)).toEqual({ outcome: 'unknown' });
  });

  it.each([
    ['ESME_RINVDSTADR', 'permanent', 'invalid_destination'],
    ['ESME_RINVSRCADR', 'permanent', 'invalid_sender'],
    ['ESME_RPROHIBITED', 'permanent', 'blocked'],
    ['ESME_RSUBMITFAIL', 'permanent', 'rejected'],
    ['ESME_RSYSERR', 'temporary', 'carrier_unavailable'],
    ['ESME_RMSGQFUL', 'temporary', 'carrier_unavailable'],
  ])('rejected with %s fail as %s', async (name, kind, code) => {
    const carrier = await connect();
    smsc.onSubmit = () => smpp.errors[name];
    const text = submission();
    const refusal = await refusalOf(carrier.send(text));
    expect(refusal).toMatchObject({ kind, code, message: expect.stringContaining(name) as string });
    expect(await carrier.getOutcome(text)).toEqual({ outcome: 'not_sent' });
  });

  it('without an answer before a disconnect have an unknown outcome and are not repeated', async () => {
    const carrier = await connect();
    smsc.onSubmit = () => 'cut';
    const text = submission();
    expect(await refusalOf(carrier.send(text))).toMatchObject({ kind: 'unknown' });
    expect(await carrier.getOutcome(text)).toEqual({ outcome: 'unknown' });
    smsc.onSubmit = null;
    await client.bound();
    expect(await refusalOf(carrier.send(text))).toMatchObject({ kind: 'unknown' });
    expect(smsc.submits).toHaveLength(1);
  });

  it('without an answer have an unknown outcome within the time limit', async () => {
    const carrier = await connect({ submitMs: 4_000 });
    smsc.onSubmit = () => 'silence';
    const refusal = refusalOf(carrier.send(submission()));
    // Compare timers, not the clock: timers fire in order even if the machine stalled.
    expect(await Promise.race([refusal, delay(4_000, 'late')])).toMatchObject({ kind: 'unknown' });
  });

  it('from another owner’s number are rejected', async () => {
    const carrier = await connect();
    const refusal = await refusalOf(carrier.send(submission({ from: '+12025550177' })));
    expect(refusal).toMatchObject({ kind: 'permanent', code: 'invalid_sender' });
    expect(smsc.submits).toEqual([]);
  });

  it('have the fields that the specification requires', async () => {
    const carrier = await connect();
    await carrier.send(submission({ text: 'a€' }));
    await carrier.send(submission({ text: 'ж' }));
    expect(smsc.submits[0]).toMatchObject({
      source_addr_ton: 1,
      source_addr_npi: 1,
      source_addr: '12025550111',
      dest_addr_ton: 1,
      dest_addr_npi: 1,
      destination_addr: '12025550112',
      esm_class: 0,
      data_coding: 0,
      registered_delivery: 1,
    });
    expect(smsc.submits[1]).toMatchObject({ data_coding: 8, short_message: { message: 'ж' } });
  });
});
