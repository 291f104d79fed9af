import { setTimeout as delay } from 'node:timers/promises';

interface Renewal {
  /** The duration of the lease. */
  seconds: number;
  /** @returns false if the lease is lost */
  renew: () => Promise<boolean>;
  onFailed: (error: unknown) => void;
}

/**
 * Renews a lease while some work runs. The caller releases it afterwards.
 * @param work gets a signal that is aborted if the lease is lost
 */
export async function renewWhile<T>(
  work: (lost: AbortSignal) => T | Promise<T>,
  renewal: Renewal,
): Promise<T> {
  const [done, lost] = [new AbortController(), new AbortController()];
  const renewing = keepRenewing(renewal, done.signal, lost);
  try {
    return await work(lost.signal);
  } finally {
    done.abort();
    // The end of the lease, which may identify its holder, must not change after this.
    await renewing;
  }
}

async function keepRenewing(
  { seconds, renew, onFailed }: Renewal,
  done: AbortSignal,
  lost: AbortController,
): Promise<void> {
  const pause = () => delay((seconds * 1_000) / 3, true, { signal: done, ref: false }).catch(() => false);
  while (await pause()) {
    try {
      if (!(await renew())) return lost.abort();
    } catch (error) {
      onFailed(error);
    }
  }
}
