import { eq } from 'drizzle-orm';
import type { z } from 'zod';
import type { Database } from '../../platform/database/database.ts';
import type { Executor } from '../../platform/database/Executor.ts';
import type { Address } from '../../sdk/protocol/common.ts';
import type { AuditAction } from '../../sdk/protocol/apiKeys.ts';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import type { deleteAccount, WireDeletion, WireExport } from '../../sdk/protocol/privacy.ts';
import { deleteStatement } from '../../sdk/protocol/statements.ts';
import type { Linker } from '../identity/provider/IdentityService.ts';
import { noProvider } from '../identity/provider/IdentityService.ts';
import { mustBeFresh } from '../identity/provider/mustBeFresh.ts';
import type { OutsideIdentities } from '../identity/provider/OutsideIdentities.ts';
import type { WalletProofs } from '../identity/WalletProofs.ts';
import { accounts } from '../money/account/tables.ts';
import type { AuditLog } from '../money/audit/AuditLog.ts';
import type { Erasure } from './erasure/Erasure.ts';
import type { Exports } from './export/Exports.ts';

interface AccountDataDeps {
  db: Database;
  audit: AuditLog;
  proofs: WalletProofs;
  /** Null if no identity provider is configured. */
  outsideIdentities: OutsideIdentities | null;
  erasure: Erasure;
  /** Null on a node without file storage. */
  exports: Exports | null;
}

type Proof = z.output<typeof deleteAccount>;

/** What a person may do with all data of the account: get it, and have it deleted. */
export class AccountData {
  readonly #deps: AccountDataDeps;

  constructor(deps: AccountDataDeps) {
    this.#deps = deps;
  }

  /** @throws ParleyError RATE_LIMIT_EXCEEDED, or SERVICE_UNAVAILABLE without file storage */
  async export(person: Linker): Promise<WireExport> {
    const { db } = this.#deps;
    const { accountId } = person.session;
    const exports = this.#exports();
    await db.transaction(async (tx) => {
      const { isNew } = await exports.request(tx, accountId);
      if (isNew) await this.#note(tx, person, 'account.exported');
    });
    const latest = await exports.latest(accountId);
    if (!latest) throw new Error('an export that was requested was not found');
    return latest;
  }

  latestExport(accountId: string): Promise<WireExport | null> {
    return this.#exports().latest(accountId);
  }

  /**
   * Requests the deletion of the account.
   * @throws ParleyError AUTHENTICATION_REQUIRED if the proof is not valid, ACCESS_DENIED if it is another account's
   */
  async delete(person: Linker, proof: Proof): Promise<WireDeletion> {
    const { db, erasure } = this.#deps;
    const { accountId } = person.session;
    const use =
      proof.type === 'wallet'
        ? await this.#wallet(accountId, proof)
        : await this.#outside(accountId, proof.token);
    return db.transaction(async (tx) => {
      await use(tx);
      await this.#note(tx, person, 'account.deletion_requested');
      return erasure.request(tx, accountId);
    });
  }

  /** @throws ParleyError CONFLICT if the deletion was not requested */
  async restore(person: Linker): Promise<void> {
    await this.#deps.db.transaction(async (tx) => {
      await this.#deps.erasure.withdraw(tx, person.session.accountId);
      await this.#note(tx, person, 'account.restored');
    });
  }

  deletion(accountId: string): Promise<WireDeletion | null> {
    return this.#deps.erasure.requested(accountId);
  }

  /** Checks a message of the wallet. @returns a function that uses up its nonce, and checks that the account has this wallet */
  async #wallet(accountId: string, { type: _type, ...signed }: Proof & { type: 'wallet' }) {
    const { proofs } = this.#deps;
    const proof = await proofs.check(signed, 'dashboard', deleteStatement(accountId));
    return async (tx: Executor) => {
      await proofs.use(tx, proof);
      if ((await lockAccount(tx, accountId)) !== proof.wallet) throw notYours();
    };
  }

  /** Checks a token of the identity provider. @returns a function that checks that its user signs in to the account */
  async #outside(accountId: string, token: string) {
    const { outsideIdentities } = this.#deps;
    if (!outsideIdentities) throw noProvider();
    const claims = await outsideIdentities.tokens.verify(token);
    mustBeFresh(claims, 'delete the account');
    return async (tx: Executor) => {
      const identity = await outsideIdentities.lock(tx, claims);
      if (identity.accountId !== accountId) throw notYours();
      await lockAccount(tx, accountId);
    };
  }

  #exports(): Exports {
    if (this.#deps.exports) return this.#deps.exports;
    throw new ParleyError('SERVICE_UNAVAILABLE', 'This server has no file storage, which an export needs.');
  }

  #note(tx: Executor, { session, origin }: Linker, action: AuditAction): Promise<void> {
    const { accountId, sessionId: actorId } = session;
    return this.#deps.audit.write(tx, {
      accountId,
      at: new Date(),
      actorType: 'session',
      actorId,
      action,
      ...origin,
    });
  }
}

/** Locks the account, so that its wallet cannot move to another account before the request is stored. @returns the wallet */
async function lockAccount(tx: Executor, accountId: string): Promise<Address | null> {
  const [account] = await tx
    .select({ wallet: accounts.wallet })
    .from(accounts)
    .where(eq(accounts.id, accountId))
    .for('update');
  return account?.wallet ?? null;
}

const notYours = () =>
  new ParleyError('ACCESS_DENIED', 'The proof is of a wallet or user that does not sign in to this account.');
