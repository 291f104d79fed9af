import { sql } from 'drizzle-orm';
import type { PartyId } from '../../sdk/protocol/party.ts';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import type { Executor } from '../../platform/database/Executor.ts';
import { fileUsage } from './tables.ts';

/** The maximum total size of files in bytes; Infinity for no limit. */
interface Limits {
  perWallet: number;
  installation: number;
}

const installation = 'installation';

/**
 * The limits for the files of each wallet and of the whole server. The sums change in the transaction that changes a file, so
 * concurrent uploads are counted one after the other. The wallet's row is always locked before the server's, so transactions cannot
 * deadlock.
 */
export class FileQuotas {
  readonly #limits: Limits;

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  /**
   * Counts bytes before they are stored.
   * @param bytes a negative number frees bytes
   * @throws ParleyError CONFLICT if a limit is exceeded
   */
  async take(tx: Executor, wallet: PartyId, bytes: number): Promise<void> {
    const { perWallet, installation: whole } = this.#limits;
    if (!(await add(tx, wallet, bytes, perWallet))) {
      const message = `The files of this wallet have reached the limit of ${inMegabytes(perWallet)}. Delete messages with files for everyone, or uploads that were not sent.`;
      throw new ParleyError('CONFLICT', message);
    }
    if (await add(tx, installation, bytes, whole)) return;
    const message =
      'This server has no space for further files. Delete messages with files for everyone, or ask its operator to raise FILES_MEGABYTES.';
    throw new ParleyError('CONFLICT', message);
  }

  /** Counts bytes that are already stored or deleted, regardless of the limits. */
  async count(tx: Executor, wallet: PartyId, bytes: number): Promise<void> {
    await add(tx, wallet, bytes, Infinity);
    await add(tx, installation, bytes, Infinity);
  }
}

/** @returns whether the sum stays within the limit; if not, nothing was added */
async function add(tx: Executor, holder: string, bytes: number, limit: number): Promise<boolean> {
  if (bytes === 0) return true;
  const isBounded = bytes > 0 && limit !== Infinity;
  // Checked here, because the first insert for a holder has no sum to compare with the limit.
  if (isBounded && bytes > limit) return false;
  const sum = sql`${fileUsage.bytes} + ${bytes}`;
  const added = await tx
    .insert(fileUsage)
    .values({ holder, bytes })
    .onConflictDoUpdate({
      target: fileUsage.holder,
      set: { bytes: sum },
      ...(isBounded ? { setWhere: sql`${sum} <= ${limit}` } : {}),
    })
    .returning({ holder: fileUsage.holder });
  return added.length > 0;
}

const inMegabytes = (bytes: number) => `${bytes / 1024 / 1024} MB`;
