import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { until } from '../../harness/until.ts';
import { blocksFor } from '../../docs/blocks.ts';
import { ScriptedCarrier } from '../telephony/ScriptedCarrier.ts';
import { withCodes } from '../telephony/withCodes.ts';
import { queryDatabase } from './accountSupport.ts';
import { offered, post, signPayment, startPaymentChain } from './paymentSupport.ts';
import { startSpendingServer } from './spendingServer.ts';

const [query = ''] = blocksFor('docs/guides/operator.md', 'unsentTexts.test.ts');

it('finds the payments of texts and codes that were never sent, as the guide says', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'parley-test-'));
  const chain = await startPaymentChain();
  const carrier = new ScriptedCarrier(join(dataDir, 'given'));
  carrier.refusesCodes = true;
  const { settings } = chain;
  const server = await startSpendingServer({ dataDir, settings, carrier, provide: withCodes });
  const payFor = async (path: string, body: object) => {
    const payer = await chain.newPayer();
    const payment = await signPayment(payer, { accepted: await offered(server.url, body, path) });
    const { status, text } = await post(server.url, path, body, { 'PAYMENT-SIGNATURE': payment });
    if (status > 299) throw new Error(text);
    return payer.address;
  };
  try {
    await payFor('/sms/send', { to: '+12025550123', message: 'fine' });
    const refused = await payFor('/sms/send', { to: '+12025550124', message: 'permanent' });
    const code = await payFor('/verifications/start', { to: '+12025550125' });
    const isDone = `SELECT FROM messages WHERE status IN ('sent', 'failed')`;
    await until(async () => (await queryDatabase({ dataDir }, isDone)).length === 3, 'the texts are done');
    const found = (await queryDatabase({ dataDir }, query)).map((row) => [row.payer, row.error_code]);
    expect(new Map(found as [string, string][])).toEqual(
      new Map([
        [refused, 'blocked'],
        [code, 'blocked'],
      ]),
    );
  } finally {
    await server.close();
    chain.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
});
