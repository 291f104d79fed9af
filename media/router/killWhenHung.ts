import type { types } from 'mediasoup';
import type { Logger } from 'pino';
import { every } from '../../platform/every.ts';

const defaultPeriodMs = 5_000;
/** The number of periods for which a worker may owe an answer. A worker with too much work still answers within one. */
const mostMissed = 4;

type Asked = Pick<types.Worker, 'pid' | 'observer' | 'getResourceUsage'>;

/**
 * Asks a worker for an answer periodically, and kills it when it owes one for too long. mediasoup waits for ever, so rooms on a worker that
 * hangs would neither work nor move to another one. It counts periods of this process, not time: a machine that was suspended, or a server
 * that was stopped, has missed one at most.
 * @param periodMs the time between two questions in milliseconds. @default 5 seconds
 */
export function killWhenHung(worker: Asked, log: Logger, periodMs = defaultPeriodMs): void {
  let missed = 0;
  let isAsking = false;
  const stop = every(periodMs, () => {
    if (isAsking) {
      missed++;
      if (missed < mostMissed) return;
      log.error({ pid: worker.pid }, 'media worker does not answer and is killed');
      stop();
      try {
        process.kill(worker.pid, 'SIGKILL');
      } catch {
        // It has just ended.
      }
      return;
    }
    isAsking = true;
    missed = 0;
    // It fails when the worker has ended.
    const answered = () => {
      isAsking = false;
    };
    worker.getResourceUsage().then(answered, answered);
  });
  worker.observer.on('close', stop);
}
