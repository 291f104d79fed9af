import { useCallback, useRef, useState } from 'react';
import { explain, type Problem } from '../problems/explain.ts';
import { useWords } from '../words/WordsContext.tsx';

export interface Action<Arguments extends unknown[], Result> {
  /** @returns null if the action failed, which `problem` explains, or if it was already running */
  run: (...given: Arguments) => Promise<Result | null>;
  isRunning: boolean;
  problem: Problem | null;
  /** Forgets the problem. */
  dismiss: () => void;
}

/**
 * A button's action, with its progress and, if it failed, the problem. A second click while it runs does nothing.
 * @param act the action
 * @param toProblem explains an error. @default explain() with the words of the provider
 */
export function useAction<Arguments extends unknown[], Result>(
  act: (...given: Arguments) => Promise<Result>,
  toProblem?: (error: unknown) => Problem,
): Action<Arguments, Result> {
  const { problems } = useWords();
  const [state, setState] = useState<{ isRunning: boolean; problem: Problem | null }>({
    isRunning: false,
    problem: null,
  });
  const isBusy = useRef(false);
  const run = async (...given: Arguments) => {
    if (isBusy.current) return null;
    isBusy.current = true;
    setState({ isRunning: true, problem: null });
    let problem: Problem | null = null;
    try {
      return await act(...given);
    } catch (error) {
      problem = toProblem ? toProblem(error) : explain(error, problems);
      return null;
    } finally {
      isBusy.current = false;
      setState({ isRunning: false, problem });
    }
  };
  const dismiss = useCallback(() => setState((before) => ({ ...before, problem: null })), []);
  return { run, ...state, dismiss };
}
