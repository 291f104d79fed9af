import type { Executor } from '../../platform/database/Executor.ts';
import type { Expected } from '../socket/expected.ts';
import { isRunning, jobKinds, otherOf, parties, type CallDeps } from './CallDeps.ts';
import type { Party } from './state.ts';
import type { CallRow } from './tables.ts';

/**
 * Tracks the parties of calls whose device has lost its connection or gone silent. The deadline by which such a device must come back is a
 * scheduled job.
 */
export class AwayParties {
  readonly #deps: Pick<CallDeps, 'store' | 'jobs' | 'notifier' | 'graceMs'>;

  constructor(deps: Pick<CallDeps, 'store' | 'jobs' | 'notifier' | 'graceMs'>) {
    this.#deps = deps;
  }

  /**
   * Sets the deadline by which a party's device must come back. No effect if the party is on another connection by now, or already has a
   * deadline, unless that was set because the device went silent and now its connection is lost: then the new deadline replaces it.
   * @param dueAt the deadline; by default, one grace period from now
   */
  async expectBack(row: CallRow, party: Party, dueAt?: Date, isSilent = false): Promise<void> {
    const { store, jobs, graceMs } = this.#deps;
    const socket = row[`${party}Socket`];
    if (!socket) return;
    const subject = partySubject(row.id, party);
    const isChange = await store.changing(row.id, async (executor) => {
      const now = await store.lock(executor, row.id);
      if (!now || !isRunning(now) || now[`${party}Socket`] !== socket) return false;
      const before = (await jobs.find(executor, jobKinds.gone, subject))?.payload as Expected | undefined;
      const isKnown = before?.socket === socket;
      if (isKnown && (isSilent || !before.isSilent)) return false;
      const expected: Expected = { socket, isSilent };
      await jobs.set(executor, jobKinds.gone, subject, dueAt ?? new Date(Date.now() + graceMs), expected);
      return !isKnown && now.status === 'active';
    });
    if (isChange) this.notify(row, party, true);
  }

  /** Removes the deadline of a silent device that answers again. No effect if its party has left or is on another connection. */
  async answersAgain(row: CallRow, party: Party): Promise<void> {
    const { store, jobs } = this.#deps;
    const subject = partySubject(row.id, party);
    const isChange = await store.changing(row.id, async (executor) => {
      const now = await store.lock(executor, row.id);
      const before = (await jobs.find(executor, jobKinds.gone, subject))?.payload as Expected | undefined;
      if (!before?.isSilent || before.socket !== row[`${party}Socket`]) return false;
      await jobs.cancel(executor, jobKinds.gone, subject);
      return now?.status === 'active';
    });
    if (isChange) this.notify(row, party, false);
  }

  /**
   * Removes a party's deadline. Call inside the transaction that moves the party to another connection.
   * @returns whether the party had a deadline
   */
  cancel(executor: Executor, callId: string, party: Party): Promise<boolean> {
    return this.#deps.jobs.cancel(executor, jobKinds.gone, partySubject(callId, party));
  }

  /** Whether a party has a deadline. */
  async has(executor: Executor, callId: string, party: Party): Promise<boolean> {
    return (await this.#deps.jobs.find(executor, jobKinds.gone, partySubject(callId, party))) !== null;
  }

  /** Notifies each party again whether the other one is away, because it may not have been told. */
  async notifyAgain(row: CallRow): Promise<void> {
    const { jobs } = this.#deps;
    const subjects = parties.map((party) => partySubject(row.id, party));
    const expected = await jobs.findAll(jobKinds.gone, subjects);
    for (const party of parties) this.notify(row, party, expected.has(partySubject(row.id, party)));
  }

  /** Notifies the other party immediately, so that its user sees why the video has stopped. */
  notify(row: CallRow, party: Party, isAway: boolean): void {
    const away = { callId: row.id, walletAddress: row[party], isAway };
    this.#deps.notifier.toWallet(row[otherOf(party)], 'call:participant:away', away);
  }
}

const partySubject = (callId: string, party: Party) => `${callId}/${party}`;
