import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { explain, type Problem } from '../ui/explain.ts';
import type { Subject } from './createQueries.ts';
import { refresh } from './refresh.ts';

export interface Action<Arguments extends unknown[], Result> {
  /** @returns null if the action failed, which `problem` explains, or if it was already running */
  run: (...given: Arguments) => Promise<Result | null>;
  isRunning: boolean;
  problem: Problem | null;
}

interface Options {
  /** What the action changes. The action ends when this data has been read again. */
  refreshes?: Subject[];
  /** Turns an error into a problem. */
  toProblem?: (error: unknown) => Problem;
}

/** A button's action, with its progress and, if it failed, the problem. */
export function useAction<Arguments extends unknown[], Result>(
  act: (...given: Arguments) => Promise<Result>,
  { refreshes = [], toProblem = explain }: Options = {},
): Action<Arguments, Result> {
  const queryClient = useQueryClient();
  const { mutateAsync, error } = useMutation({
    mutationFn: async (given: Arguments) => {
      const result = await act(...given);
      await refresh(queryClient, ...refreshes);
      return result;
    },
  });
  // Not the mutation's `isPending`: that is set in a later task, and by then a key may have closed the dialog of the action.
  const [isRunning, setIsRunning] = useState(false);
  // `isRunning` is only true after the next rendering, which may come after the second click of a double click.
  const isBusy = useRef(false);
  const run = async (...given: Arguments) => {
    if (isBusy.current) return null;
    isBusy.current = true;
    setIsRunning(true);
    try {
      return await mutateAsync(given);
    } catch {
      return null;
    } finally {
      isBusy.current = false;
      setIsRunning(false);
    }
  };
  return {
    run,
    isRunning,
    problem: error && toProblem(error),
  };
}
