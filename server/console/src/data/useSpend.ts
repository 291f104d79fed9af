import { newIdempotencyKey, ParleyError, type SpendOptions } from '@parley/sdk';
import { useRef } from 'react';
import type { Subject } from './createQueries.ts';
import { useAction, type Action } from './useAction.ts';

/**
 * A button's action that spends credits. If the outcome of a request is unknown, pressing the button again repeats the
 * request with the same idempotency key, so that it cannot be charged twice.
 * @param changed what the action changes besides the balance
 */
export function useSpend<Arguments extends unknown[], Result>(
  act: (options: SpendOptions, ...given: Arguments) => Promise<Result>,
  ...changed: Subject[]
): Action<Arguments, Result> {
  const open = useRef<{ key: string; asked: string } | null>(null);
  const spend = async (...given: Arguments) => {
    const asked = JSON.stringify(given);
    const { key } = open.current?.asked === asked ? open.current : { key: newIdempotencyKey() };
    open.current = { key, asked };
    try {
      const result = await act({ idempotencyKey: key }, ...given);
      open.current = null;
      return result;
    } catch (error) {
      if (!isUnknown(error)) open.current = null;
      throw error;
    }
  };
  return useAction(spend, { refreshes: ['credits', ...changed] });
}

const isUnknown = (error: unknown) => error instanceof ParleyError && error.code === 'NETWORK_ERROR';
