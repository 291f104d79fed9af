import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTestDatabase, submission } from '../../../../test/integration/telephony/smppSupport.ts';
import { ScheduledJobs } from '../../../../platform/jobs/ScheduledJobs.ts';
import type { Database } from '../../../../platform/database/database.ts';
import { HandedOver } from '../handedOver/HandedOver.ts';
import { SmppReceipts } from './SmppReceipts.ts';

let db: Database;
let close: () => Promise<void>;
beforeAll(async () => {
  ({ db, close } = await openTestDatabase());
});
afterAll(() => close?.());

it('finds a text whose answer is stored during the search', async () => {
  const handed = new HandedOver({
    db,
    jobs: new ScheduledJobs(db, pino({ level: 'silent' })),
    carrier: 'smpp',
  });
  const text = submission();
  await handed.begin(text, { part: 0, total: 1, mark: 7 });
  const sending = new Set<Promise<unknown>>();
  let store!: () => void;
  const answered = new Promise<void>((resolve) => (store = resolve))
    .then(() => handed.accepted(text.id, 0, 'm1'))
    .finally(() => sending.delete(answered));
  sending.add(answered);
  const find = handed.withReference.bind(handed);
  handed.withReference = async (references) => {
    const found = await find(references);
    store();
    await answered;
    return found;
  };

  const receipt = await new SmppReceipts({ handed, sending }).read({
    from: text.to,
    to: text.from,
    text: 'id:m1 sub:001 dlvrd:001 stat:DELIVRD err:000',
    concatenation: null,
    isReceipt: true,
    receiptedId: null,
    messageState: null,
    mark: null,
  });

  expect(receipt).toMatchObject({ state: 'delivered', reference: 'm1', submissionId: text.id });
});
