import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Kannel } from '../../harness/services/Kannel.ts';
import { Smsc, smscUser } from '../../harness/services/Smsc.ts';
import { carrierNumbers, openTestDatabase, SmppClient, submission } from './smppSupport.ts';

/*
 * The SMPP driver and Debian's Kannel, two independent SMPP clients, exchange texts through one SMSC. Each must read what the other
 * writes (alphabets, headers of parts).
 */

const kannelNumber = '+12025550188';
let closeDatabase: () => Promise<void>;
let smsc: Smsc;
let client: SmppClient;
let kannel: Kannel;

beforeAll(async () => {
  const opened = await openTestDatabase();
  closeDatabase = opened.close;
  const user = smscUser([kannelNumber], 'kannel');
  smsc = await Smsc.start({ users: [smscUser(carrierNumbers), user] });
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
  ['the full GSM-7 alphabet', '@£$¥èéùìòÇØøÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ¤ÄÖÑÜ§¿äöñüà [€] {~} \\ | ^', true],
  ['several parts', `${'long words with €, '.repeat(25)}end`, true],
  ['another alphabet', 'Привет, Канель', false],
  ['several parts of another alphabet', `${'привет, '.repeat(40)}конец`, false],
  ['emoji', `${'😀 '.repeat(50)}end`, false],
];

describe('Kannel', () => {
  it.each(texts)('receives %s', async (_case, text) => {
    const { references } = await client.carrier.send(submission({ to: kannelNumber, text }));
    const { from, to } = await kannel.arrived(text);
    expect([from, to]).toEqual([carrierNumbers[0], kannelNumber]);
    for (const reference of references)
      expect(await client.receiptOf(reference)).toMatchObject({ state: 'delivered' });
  });

  it.each(texts)('sends %s', async (_case, text, isGsm) => {
    const reply = `${text} back`;
    await kannel.send(kannelNumber, carrierNumbers[1] ?? '', reply, isGsm);
    expect(await client.arrived(reply)).toMatchObject({ from: kannelNumber, to: carrierNumbers[1] });
  });
});
