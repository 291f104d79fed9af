import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { newId } from '../../../sdk/protocol/ids.ts';
import { openDatabase, type Database } from '../../../platform/database/database.ts';
import type {
  CarrierEvents,
  InboundText,
  Receipt,
  Submission,
} from '../../../server/telephony/sms/Carrier.ts';
import { partsOf } from '../../../sdk/protocol/segments.ts';
import { SmppCarrier } from '../../../server/telephony/sms/smpp/SmppCarrier.ts';
import { smscAddress } from '../../../server/telephony/sms/smpp/smscAddress.ts';
import { ScheduledJobs } from '../../../platform/jobs/ScheduledJobs.ts';
import { copyDatabaseTemplate } from '../../harness/nodes/databaseTemplate.ts';
import { until } from '../../harness/until.ts';

export const carrierNumbers = ['+12025550111', '+12025550112', '+447400123456'];
export const unassigned = '+12025550199';

/** Opens a new, separate database. */
export async function openTestDatabase(): Promise<{ db: Database; close: () => Promise<void> }> {
  const dataDir = await mkdtemp(join(tmpdir(), 'parley-test-'));
  await copyDatabaseTemplate(dataDir);
  const opened = await openDatabase({ dataDir, logger: pino({ level: 'silent' }) });
  return {
    db: opened.db,
    async close() {
      await opened.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

type CarrierOptions = Partial<ConstructorParameters<typeof SmppCarrier>[0]> & { ca?: string };

/** An SMPP driver configured as in the server, with its events and log. */
export class SmppClient implements CarrierEvents {
  readonly carrier: SmppCarrier;
  readonly texts: InboundText[] = [];
  readonly receipts: Receipt[] = [];
  readonly logged: string[] = [];
  /** How many of the next calls of inbound() fail. */
  refuse = 0;

  constructor(url: string, db: Database, { ca, ...over }: CarrierOptions = {}) {
    const log = pino({ level: 'trace' }, { write: (line: string) => void this.logged.push(line) });
    this.carrier = new SmppCarrier({
      db,
      jobs: new ScheduledJobs(db, log),
      log,
      smsc: smscAddress(url, 'parley', ca),
      bind: 'transceiver',
      window: 10,
      enquireMs: 30_000,
      confirmMs: 30_000,
      submitMs: 5_000,
      pool: carrierNumbers.slice(0, 2),
      numbers: carrierNumbers,
      ...over,
    });
  }

  async start(): Promise<this> {
    await this.carrier.start(this);
    await this.bound();
    return this;
  }

  bound = () => until(() => this.isBound(), 'the bind');
  isBound = () =>
    this.carrier.check().then(
      () => true,
      () => false,
    );

  inbound(text: InboundText): Promise<void> {
    if (this.refuse > 0) {
      this.refuse--;
      return Promise.reject(new Error('the database is unavailable'));
    }
    this.texts.push(text);
    return Promise.resolve();
  }

  receipt(receipt: Receipt): Promise<void> {
    this.receipts.push(receipt);
    return Promise.resolve();
  }

  /** Waits for an inbound text. */
  arrived = (text: string) =>
    until(() => this.texts.find((each) => each.text === text), `the text ${text.slice(0, 20)}`);

  receiptOf = (reference: string | undefined) =>
    until(() => this.receipts.find((each) => each.reference === reference), `the receipt of ${reference}`);
}

export function submission(over: Partial<Submission> = {}): Submission {
  const text = over.text ?? `hello ${newId('msg')}`;
  const { parts, encoding } = partsOf(text);
  const [from = '', to = ''] = carrierNumbers;
  return { id: newId('msg'), from, to, text, encoding, segments: parts.length, mediaUrls: [], ...over };
}
