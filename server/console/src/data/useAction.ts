import { useMutation, useQueryClient } from '@tanstack/react-query';
import { explain, type Problem } from '../ui/explain.ts';
import type { Subject } from './createQueries.ts';
import { refresh } from './refresh.ts';

export interface Action<Arguments extends unknown[], Result> {
  /** @returns null if the action failed; `problem` then says why */
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
  const { mutateAsync, isPending, error } = useMutation({
    mutationFn: async (given: Arguments) => {
      const result = await act(...given);
      await refresh(queryClient, ...refreshes);
      return result;
    },
  });
  return {
    run: (...given) => mutateAsync(given).catch(() => null),
    isRunning: isPending,
    problem: error && toProblem(error),
  };
}
