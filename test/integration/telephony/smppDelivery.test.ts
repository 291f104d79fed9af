import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Database } from '../../../platform/database/database.ts';
import { smppInboundTexts } from '../../../server/telephony/sms/smpp/tables.ts';
import { notations, receiptOf, Smsc, smscUser } from '../../harness/services/Smsc.ts';
import { until } from '../../harness/until.ts';
import { carrierNumbers, openTestDatabase, SmppClient, submission, unassigned } from './smppSupport.ts';

/* Deliveries of an SMSC (the server side of the npm package smpp): receipts, texts and parts of texts. */

let db: Database;
let closeDatabase: () => Promise<void>;
let smsc: Smsc;
let client: SmppClient;

const connect = async (over: ConstructorParameters<typeof SmppClient>[2] = {}) => {
  client = await new SmppClient(smsc.url(), db, over).start();
  return client.carrier;
};

beforeAll(async () => {
  ({ db, close: closeDatabase } = await openTestDatabase());
});
afterAll(() => closeDatabase?.());
beforeEach(async () => {
  smsc = await Smsc.start({ users: [smscUser(carrierNumbers)] });
  await connect();
});
afterEach(async () => {
  await client?.carrier.close();
  await smsc?.stop();
});

const allDelivered = () => until(() => smsc.undelivered === 0, 'all deliveries are acknowledged');

describe('receipts', () => {
  it.each(Object.entries(notations))('are matched with ids in the notation “%s”', async (_name, notation) => {
    smsc.notation = notation;
    const text = submission();
    const { references } = await client.carrier.send(text);
    expect(await client.receiptOf(references[0])).toMatchObject({
      state: 'delivered',
      submissionId: text.id,
    });
  });

  it('can arrive twice, late, and over another connection', async () => {
    smsc.holdsReceipts = true;
    smsc.receiptCopies = 2;
    smsc.notation = notations.hexadecimalAnswers;
    const text = submission();
    const { references } = await client.carrier.send(text);
    await client.carrier.close();
    await connect();
    smsc.releaseReceipts();
    await allDelivered();
    expect(client.receipts).toMatchObject([
      { reference: references[0], state: 'delivered', submissionId: text.id },
      { reference: references[0], state: 'delivered', submissionId: text.id },
    ]);
  });

  it('are read from the parameters of SMPP 3.4 if the text is empty', async () => {
    smsc.receiptFields = (submit, id) => ({
      ...receiptOf(submit, '', ''),
      short_message: '',
      receipted_message_id: id,
      message_state: 5,
    });
    const { references } = await client.carrier.send(submission());
    expect(await client.receiptOf(references[0])).toMatchObject({
      state: 'failed',
      errorCode: 'unreachable',
    });
  });

  it.each([
    ['ENROUTE', 'sent', null],
    ['ACCEPTD', 'sent', null],
    ['EXPIRED', 'failed', 'expired'],
    ['UNDELIV', 'failed', 'unreachable'],
    ['REJECTD', 'failed', 'rejected'],
    ['UNKNOWN', 'failed', 'unknown_outcome'],
  ])('with the state %s mean %s', async (stat, state, errorCode) => {
    smsc.receiptFields = (submit, id) => receiptOf(submit, id, stat);
    const { references } = await client.carrier.send(submission());
    const receipt = await client.receiptOf(references[0]);
    expect(receipt).toMatchObject({ state, errorCode });
    if (errorCode) expect(receipt.errorMessage).toContain(`${stat} err:001`);
  });

  it('may end with a NUL, which is not part of the last field', async () => {
    smsc.receiptFields = (submit, id) => ({
      ...receiptOf(submit, id, ''),
      short_message: Buffer.from(`id:${id} stat:UNDELIV err:001\0`),
    });
    const { references } = await client.carrier.send(submission());
    const { errorMessage } = await client.receiptOf(references[0]);
    expect(errorMessage).toBe('The carrier reports stat:UNDELIV err:001.');
  });

  it('settle an unanswered submit if they contain the user message reference', async () => {
    smsc.onSubmit = () => 'silence';
    smsc.holdsReceipts = true;
    smsc.receiptFields = (submit, id) => ({
      ...receiptOf(submit, id, 'DELIVRD'),
      user_message_reference: submit.user_message_reference,
    });
    await client.carrier.close();
    await connect({ submitMs: 3_000 });
    const text = submission();
    await expect(client.carrier.send(text)).rejects.toMatchObject({ kind: 'unknown' });
    smsc.releaseReceipts();
    const receipt = await until(() => client.receipts[0], 'the receipt');
    expect(receipt).toMatchObject({ state: 'delivered', submissionId: text.id });
    const { reference } = receipt;
    expect(await client.carrier.getOutcome(text)).toEqual({ outcome: 'accepted', references: [reference] });
  });

  it('settle a submit that was answered too late', async () => {
    await client.carrier.close();
    await connect({ submitMs: 3_000 });
    smsc.answerAfterMs = 3_500;
    const text = submission();
    await expect(client.carrier.send(text)).rejects.toMatchObject({ kind: 'unknown' });
    await until(
      async () => (await client.carrier.getOutcome(text)).outcome === 'accepted',
      'the late answer',
    );
    await until(() => client.receipts[0], 'the receipt');
  });

  it('for one part do not settle a text while another part is unanswered', async () => {
    await client.carrier.close();
    await connect({ submitMs: 3_000 });
    smsc.onSubmit = () => (smsc.submits.length === 2 ? 'silence' : 0);
    const text = submission({ text: 'long words, '.repeat(20) });
    await expect(client.carrier.send(text)).rejects.toMatchObject({ kind: 'unknown' });
    expect(await until(() => client.receipts[0], 'a receipt')).toMatchObject({ submissionId: null });
    expect(await client.carrier.getOutcome(text)).toEqual({ outcome: 'unknown' });
  });

  it('of unknown texts are reported without a submission', async () => {
    smsc.deliver(
      'parley',
      receiptOf({ destination_addr: '1', source_addr: '2' } as never, 'stray', 'DELIVRD'),
    );
    expect(await client.receiptOf('stray')).toMatchObject({ submissionId: null, state: 'delivered' });
  });
});

const inbound = (message: string | Buffer, over: Record<string, unknown> = {}) => ({
  source_addr_ton: 1,
  source_addr_npi: 1,
  source_addr: '447700900123',
  dest_addr_ton: 1,
  dest_addr_npi: 1,
  destination_addr: carrierNumbers[0]?.slice(1),
  esm_class: 0,
  data_coding: 0,
  short_message: message,
  ...over,
});
const part = (udh: number[], message: string, over: Record<string, unknown> = {}) =>
  inbound(message, { short_message: { udh: Buffer.from(udh), message }, esm_class: 0x40, ...over });
const deliver = (fields: Record<string, unknown>) => smsc.deliver('parley', fields);

describe('inbound texts', () => {
  it('are assembled from parts in any order, even two texts at the same time', async () => {
    const texts = ['one long text, ', 'ещё один текст, '].map((phrase) =>
      submission({ text: phrase.repeat(30).trim() }),
    );
    const count = texts.reduce((sum, { segments }) => sum + segments, 0);
    smsc.reorder = { count, order: (parts) => [...parts].reverse() };
    await Promise.all(texts.map((text) => client.carrier.send(text)));
    for (const { text } of texts) await client.arrived(text);
    expect(client.texts).toHaveLength(2);
  });

  it.each([
    ['a reference of 8 bits', (index: number) => part([5, 0, 3, 77, 2, index], `8 bits ${index};`)],
    ['a reference of 16 bits', (index: number) => part([6, 8, 4, 1, 77, 2, index], `16 bits ${index};`)],
    [
      'a reference after another element',
      (index: number) => part([9, 1, 2, 0, 1, 0, 3, 78, 2, index], `another ${index};`),
    ],
    [
      'the sar parameters',
      (index: number) =>
        inbound(`sar ${index};`, { sar_msg_ref_num: 513, sar_total_segments: 2, sar_segment_seqnum: index }),
    ],
  ])('are assembled by %s, even across a restart', async (_case, make) => {
    deliver(make(2));
    await allDelivered();
    await client.carrier.close();
    await connect();
    expect(client.texts).toEqual([]);
    deliver(make(1));
    const { text } = await until(() => client.texts[0], 'the text');
    expect(text).toMatch(/1;.*2;$/);
  });

  it('keep a surrogate pair that was split between parts', async () => {
    const pair = Buffer.from('😀', 'utf16le').swap16();
    const half = (index: number) =>
      inbound('', {
        data_coding: 8,
        esm_class: 0x40,
        short_message: Buffer.concat([
          Buffer.from([5, 0, 3, 9, 2, index]),
          pair.subarray(index * 2 - 2, index * 2),
        ]),
      });
    deliver(half(1));
    deliver(half(2));
    await client.arrived('😀');
  });

  it('are not mixed with parts of an older text with the same reference', async () => {
    deliver(part([5, 0, 3, 1, 2, 1], 'lost '));
    await allDelivered();
    deliver(part([5, 0, 3, 1, 2, 1], 'new '));
    await allDelivered();
    deliver(part([5, 0, 3, 1, 2, 2], 'text'));
    await client.arrived('new text');
  });

  it('are delivered again until they are stored', async () => {
    client.refuse = 2;
    deliver(inbound('stored at last'));
    await client.arrived('stored at last');
    client.refuse = 1;
    deliver(part([5, 0, 3, 2, 2, 1], 'whole '));
    deliver(part([5, 0, 3, 2, 2, 2], 'at last'));
    await client.arrived('whole at last');
    await allDelivered();
    expect(client.texts).toHaveLength(2);
  });

  it('are treated as duplicates when redelivered over another connection, but as new texts on the same one', async () => {
    deliver(inbound('yes'));
    deliver(inbound('yes'));
    await allDelivered();
    expect(new Set(client.texts.map(({ reference }) => reference)).size).toBe(2);
    const before = client.texts.map(({ reference }) => reference).sort();
    smsc.cut();
    await until(() => smsc.binds.length === 1, 'bound again');
    deliver(inbound('yes'));
    deliver(inbound('yes'));
    await allDelivered();
    const again = client.texts.slice(2).map(({ reference }) => reference);
    expect(again.sort()).toEqual(before);
    deliver(inbound('yes'));
    await allDelivered();
    expect(before).not.toContain(client.texts[4]?.reference);
  });

  it('are treated as duplicates when all their parts are redelivered over another connection', async () => {
    const parts = [part([5, 0, 3, 40, 2, 1], 'both '), part([5, 0, 3, 40, 2, 2], 'parts')];
    parts.forEach(deliver);
    await allDelivered();
    smsc.cut();
    await until(() => smsc.binds.length === 1, 'bound again');
    parts.forEach(deliver);
    await allDelivered();
    expect(client.texts).toHaveLength(1);
    // The same text again, as the new reference of its parts shows.
    deliver(part([5, 0, 3, 41, 2, 1], 'both '));
    deliver(part([5, 0, 3, 41, 2, 2], 'parts'));
    await allDelivered();
    expect(new Set(client.texts.map(({ reference }) => reference)).size).toBe(2);
  });

  it('are not mixed with the last part of an earlier text that was redelivered over another connection', async () => {
    const make = (index: number, message: string) => part([5, 0, 3, 42, 3, index], message);
    for (const [at, message] of ['first ', 'long ', 'text'].entries()) deliver(make(at + 1, message));
    await client.arrived('first long text');
    await allDelivered();
    smsc.cut();
    await until(() => smsc.binds.length === 1, 'bound again');
    deliver(make(3, 'text'));
    await allDelivered();
    for (const [at, message] of ['then ', 'another ', 'one'].entries()) {
      deliver(make(at + 1, message));
      await allDelivered();
    }
    expect(client.texts.map(({ text }) => text)).toEqual(['first long text', 'then another one']);
  });

  it('are treated as new over another connection once the SMSC has confirmed the earlier ones', async () => {
    await client.carrier.close();
    await connect({ confirmMs: 50 });
    const before = await db.$count(smppInboundTexts);
    deliver(inbound('yes, confirmed'));
    await allDelivered();
    await until(() => smsc.commands.at(-1) === 'enquire_link', 'the SMSC is asked');
    await until(async () => (await db.$count(smppInboundTexts)) === before, 'the reference is removed');
    smsc.cut();
    await until(() => smsc.binds.length === 1, 'bound again');
    deliver(inbound('yes, confirmed'));
    await allDelivered();
    expect(new Set(client.texts.map(({ reference }) => reference)).size).toBe(2);
  });

  it('can use message_payload, other alphabets and alphanumeric senders', async () => {
    deliver(inbound('', { short_message: '', message_payload: 'payload '.repeat(60) }));
    await client.arrived('payload '.repeat(60));
    deliver(inbound('naïve', { data_coding: 3 }));
    await client.arrived('naïve');
    const address = 'ada_b@example.org [~$5]';
    deliver(inbound(Buffer.from(address, 'latin1'), { data_coding: 1 }));
    await client.arrived(address);
    deliver(inbound('from a bank', { source_addr_ton: 5, source_addr: 'MyBank' }));
    expect(await client.arrived('from a bank')).toMatchObject({ from: 'MyBank', to: carrierNumbers[0] });
    deliver(inbound('without a type', { source_addr_ton: 0, source_addr: '+447700900123' }));
    expect(await client.arrived('without a type')).toMatchObject({ from: '+447700900123' });
  });

  it('that are binary are acknowledged and dropped; the log contains no text', async () => {
    deliver(inbound(Buffer.from([1, 2, 3]), { data_coding: 4 }));
    deliver(inbound('after the binary one'));
    await client.arrived('after the binary one');
    await allDelivered();
    expect(client.texts).toHaveLength(1);
    expect(client.logged.join()).not.toContain('after the binary');
  });
});

it('accepts a text to an unassigned number; its receipt then reports the failure', async () => {
  const { references } = await client.carrier.send(submission({ to: unassigned }));
  expect(await client.receiptOf(references[0])).toMatchObject({ state: 'failed', errorCode: 'unreachable' });
});
