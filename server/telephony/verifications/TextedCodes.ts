import { eq } from 'drizzle-orm';
import type { Database } from '../../../platform/database/database.ts';
import type { Executor } from '../../../platform/database/Executor.ts';
import { messages } from '../messaging/tables.ts';
import type { TextService } from '../sms/TextService.ts';
import type { CodeSender, OutgoingCode } from './CodeSender.ts';

/**
 * Sends codes as texts from the pool. The texts belong to no account, so no inbox and no webhook shows them. The reference of a code is
 * stored as the payment of its text, so that the text is queued only once and can be found again.
 */
export class TextedCodes implements CodeSender {
  readonly calls = false;
  readonly #db: Database;
  readonly #texts: Pick<TextService, 'check' | 'queue' | 'flush'>;

  constructor(db: Database, texts: Pick<TextService, 'check' | 'queue' | 'flush'>) {
    this.#db = db;
    this.#texts = texts;
  }

  check(executor: Executor, to: string): Promise<void> {
    return this.#texts.check(executor, null, 'codes', { to, message: '' });
  }

  async send({ reference, to, text, charge }: OutgoingCode): Promise<void> {
    const sender = { payer: null, paymentId: reference };
    const queued = await this.#db.transaction((tx) =>
      this.#texts.queue(tx, sender, 'codes', { to, message: text }, charge, true),
    );
    this.#texts.flush(queued.id);
  }

  async wasSent(reference: string): Promise<boolean> {
    return (await this.#db.$count(messages, eq(messages.paymentId, reference))) > 0;
  }
}
