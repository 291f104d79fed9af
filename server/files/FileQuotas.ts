import { sql } from 'drizzle-orm';
import type { Address } from '../../sdk/protocol/common.ts';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import type { Executor } from '../../platform/database/Executor.ts';
import { fileUsage } from './tables.ts';

/** In bytes; Infinity where there is no limit. */
interface Limits {
  perWallet: number;
  installation: number;
}

const installation = 'installation';

/**
 * How much the files of one wallet, and of all wallets, may take. The sums change in the transaction that changes a file: of two uploads at
 * once the second waits for the first, and sees what it took. The wallet's row is always locked before the installation's, so two
 * transactions can't wait for each other.
 */
export class FileQuotas {
  readonly #limits: Limits;

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  /**
   * Counts bytes that are to be stored.
   * @param bytes less than 0 frees some
   * @throws ParleyError CONFLICT where a limit does not allow it
   */
  async take(tx: Executor, wallet: Address, bytes: number): Promise<void> {
    const { perWallet, installation: whole } = this.#limits;
    if (!(await add(tx, wallet, bytes, perWallet))) {
      const message = `The files of this wallet may take ${inMegabytes(perWallet)}: delete messages with files for everyone, or uploads that were not sent.`;
      throw new ParleyError('CONFLICT', message);
    }
    if (await add(tx, installation, bytes, whole)) return;
    const message =
      'This server has no room for further files: delete messages with files for everyone, or ask its operator to raise FILES_MEGABYTES.';
    throw new ParleyError('CONFLICT', message);
  }

  /** The same for bytes that are stored or deleted already, whatever the limits. */
  async count(tx: Executor, wallet: Address, bytes: number): Promise<void> {
    await add(tx, wallet, bytes, Infinity);
    await add(tx, installation, bytes, Infinity);
  }
}

/** @returns whether the sum stays within the limit; if not, nothing was added */
async function add(tx: Executor, holder: string, bytes: number, limit: number): Promise<boolean> {
  if (bytes === 0) return true;
  const isBounded = bytes > 0 && limit !== Infinity;
  // A first row has no sum to compare with.
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
