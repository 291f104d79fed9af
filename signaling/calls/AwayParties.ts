import type { Executor } from '../../platform/database/Executor.ts';
import type { Expected } from '../socket/expected.ts';
import { isRunning, jobKinds, otherOf, type CallDeps } from './CallDeps.ts';
import type { Party } from './state.ts';
import type { CallRow } from './tables.ts';

/** Parties whose device has lost its connection or has gone silent. Their deadlines to come back are scheduled jobs. */
export class AwayParties {
  readonly #deps: Pick<CallDeps, 'store' | 'jobs' | 'notifier' | 'graceMs'>;

  constructor(deps: Pick<CallDeps, 'store' | 'jobs' | 'notifier' | 'graceMs'>) {
    this.#deps = deps;
  }

  /**
   * Sets the deadline for a party's device. No effect when the party is on another connection, or has a deadline already.
   * @param dueAt @default the end of the grace period from now
   */
  async expectBack(row: CallRow, party: Party, dueAt?: Date, isSilent = false): Promise<void> {
    const { store, jobs, graceMs } = this.#deps;
    const socket = row[`${party}Socket`];
    if (!socket) return;
    const subject = partySubject(row.id, party);
    const isChange = await store.transaction(async (executor) => {
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

  /** A silent device answers again. No effect when its party has left, or is on another connection. */
  async answersAgain(row: CallRow, party: Party): Promise<void> {
    const { store, jobs } = this.#deps;
    const subject = partySubject(row.id, party);
    const isChange = await store.transaction(async (executor) => {
      const now = await store.lock(executor, row.id);
      const before = (await jobs.find(executor, jobKinds.gone, subject))?.payload as Expected | undefined;
      if (!before?.isSilent || before.socket !== row[`${party}Socket`]) return false;
      await jobs.cancel(executor, jobKinds.gone, subject);
      return now?.status === 'active';
    });
    if (isChange) this.notify(row, party, false);
  }

  /** Removes a party's deadline, in the transaction that moves it to another connection. @returns whether it had one */
  cancel(executor: Executor, callId: string, party: Party): Promise<boolean> {
    return this.#deps.jobs.cancel(executor, jobKinds.gone, partySubject(callId, party));
  }

  /** Whether a party has a deadline. */
  async has(executor: Executor, callId: string, party: Party): Promise<boolean> {
    return (await this.#deps.jobs.find(executor, jobKinds.gone, partySubject(callId, party))) !== null;
  }

  /** Notifies the other party immediately, so that its user sees why the video has stopped. */
  notify(row: CallRow, party: Party, isAway: boolean): void {
    const away = { callId: row.id, walletAddress: row[party], isAway };
    this.#deps.notifier.toWallet(row[otherOf(party)], 'call:participant:away', away);
  }
}

const partySubject = (callId: string, party: Party) => `${callId}/${party}`;
