import { newIdempotencyKey, ParleyError, type SpendOptions } from '@parley/sdk';
import type { Subject } from './createQueries.ts';
import { useAction, type Action } from './useAction.ts';

interface Kept {
  idempotencyKey: string;
  /** In milliseconds. */
  until: number;
}

/** How long a request without a known outcome is repeated with its key. By then, its page shows whether it was carried out. */
const keptMs = 10 * 60_000;

/**
 * A button's action that spends or grants credits. If the outcome of a request is unknown, pressing the button again repeats the
 * request with the same idempotency key, so that it is not carried out twice. The tab keeps the key, also when it is reloaded.
 * @param act gets the key and the arguments of `run`, which name the request: equal arguments repeat it
 * @param changed what the action changes besides the balance
 */
export function useSpend<Arguments extends unknown[], Result>(
  act: (options: SpendOptions, ...given: Arguments) => Promise<Result>,
  ...changed: Subject[]
): Action<Arguments, Result> {
  const spend = async (...given: Arguments) => {
    const name = `parley.spend ${JSON.stringify(given)}`;
    const idempotencyKey = recallKey(name) ?? newIdempotencyKey();
    sessionStorage.setItem(name, JSON.stringify({ idempotencyKey, until: Date.now() + keptMs }));
    try {
      const result = await act({ idempotencyKey }, ...given);
      sessionStorage.removeItem(name);
      return result;
    } catch (error) {
      if (!isUnknown(error)) sessionStorage.removeItem(name);
      throw error;
    }
  };
  return useAction(spend, { refreshes: ['credits', ...changed] });
}

function recallKey(name: string): string | null {
  const { idempotencyKey = '', until = 0 } = JSON.parse(
    sessionStorage.getItem(name) ?? '{}',
  ) as Partial<Kept>;
  return until > Date.now() ? idempotencyKey : null;
}

/** Whether the server may carry out the request, or has done so. It stores all other refusals, so they end the use of their key. */
const isUnknown = (error: unknown) =>
  error instanceof ParleyError &&
  (['NETWORK_ERROR', 'SERVICE_UNAVAILABLE', 'INTERNAL', 'RATE_LIMIT_EXCEEDED'].includes(error.code) ||
    error.reason === 'idempotency_in_progress');
