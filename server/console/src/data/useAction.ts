import { useState } from 'react';
import { explain, type Problem } from '../ui/explain.ts';

/**
 * A button's action. Runs it and keeps its progress and, if it failed, the problem.
 * @param toProblem turns an error into a problem
 */
export function useAction<Arguments extends unknown[], Result>(
  act: (...given: Arguments) => Promise<Result>,
  toProblem: (error: unknown) => Problem = explain,
): { run: (...given: Arguments) => Promise<Result | null>; isRunning: boolean; problem: Problem | null } {
  const [state, setState] = useState<{ isRunning: boolean; problem: Problem | null }>({
    isRunning: false,
    problem: null,
  });
  /** @returns null if the action failed; `problem` then says why */
  const run = async (...given: Arguments): Promise<Result | null> => {
    setState({ isRunning: true, problem: null });
    try {
      const result = await act(...given);
      setState({ isRunning: false, problem: null });
      return result;
    } catch (error) {
      setState({ isRunning: false, problem: toProblem(error) });
      return null;
    }
  };
  return { run, ...state };
}
