import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Kannel } from '../../harness/Kannel.ts';
import { Smsc, smscUser } from '../../harness/Smsc.ts';
import { openTestDatabase, ours, SmppClient, submission } from './smppSupport.ts';

/*
 * The SMPP driver and Debian's Kannel, two SMPP clients of different make, text each other through one SMSC: what either of them
 * writes (alphabets, headers of parts), the other has to read.
 */

const theirs = '+12025550188';
let closeDatabase: () => Promise<void>;
let smsc: Smsc;
let client: SmppClient;
let kannel: Kannel;

beforeAll(async () => {
  const opened = await openTestDatabase();
  closeDatabase = opened.close;
  const user = smscUser([theirs], 'kannel');
  smsc = await Smsc.start({ users: [smscUser(ours), user] });
  client = await new SmppClient(smsc.url(), opened.db, { submitMs: 20_000 }).start();
  kannel = await Kannel.start({ port: smsc.port, ...user });
}, 120_000);
afterAll(async () => {
  await kannel?.stop();
  await client?.carrier.close();
  await smsc?.stop();
  await closeDatabase?.();
});

const texts: [string, string, boolean][] = [
  ['a short text', 'hello there', true],
  ['the whole of GSM-7', '@£$¥èéùìòÇØøÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ¤ÄÖÑÜ§¿äöñüà [€] {~} \\ | ^', true],
  ['several parts', `${'long words with €, '.repeat(25)}end`, true],
  ['another alphabet', 'Привет, Канель', false],
  ['several parts of another alphabet', `${'привет, '.repeat(40)}конец`, false],
  ['emoji', `${'😀 '.repeat(50)}end`, false],
];

describe('Kannel', () => {
  it.each(texts)('reads %s', async (_what, text) => {
    const { references } = await client.carrier.send(submission({ to: theirs, text }));
    const { from, to } = await kannel.arrived(text);
    expect([from, to]).toEqual([ours[0], theirs]);
    for (const reference of references)
      expect(await client.receiptOf(reference)).toMatchObject({ state: 'delivered' });
  });

  it.each(texts)('is read: %s', async (_what, text, isGsm) => {
    const mine = `${text} back`;
    await kannel.send(theirs, ours[1] ?? '', mine, isGsm);
    expect(await client.arrived(mine)).toMatchObject({ from: theirs, to: ours[1] });
  });
});
