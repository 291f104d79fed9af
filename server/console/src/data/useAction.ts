import { useState } from 'react';
import { explain, type Problem } from '../ui/explain.ts';

/** Something a button does: whether it is at it, and why it failed, in the words of what it is about. */
export function useAction<Arguments extends unknown[], Result>(
  act: (...given: Arguments) => Promise<Result>,
  inWords: (error: unknown) => Problem = explain,
): { run: (...given: Arguments) => Promise<Result | null>; isRunning: boolean; problem: Problem | null } {
  const [state, setState] = useState<{ isRunning: boolean; problem: Problem | null }>({
    isRunning: false,
    problem: null,
  });
  /** @returns null where it failed: the problem says why */
  const run = async (...given: Arguments): Promise<Result | null> => {
    setState({ isRunning: true, problem: null });
    try {
      const result = await act(...given);
      setState({ isRunning: false, problem: null });
      return result;
    } catch (error) {
      setState({ isRunning: false, problem: inWords(error) });
      return null;
    }
  };
  return { run, ...state };
}
