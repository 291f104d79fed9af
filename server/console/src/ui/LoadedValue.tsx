import { ProblemAlert } from '@parley/react';
import type { ReactNode } from 'react';
import type { Loaded } from '../data/useLoaded.ts';
import { LoadingRows } from './LoadingRows.tsx';

interface Props<Value> {
  of: Loaded<Value>;
  /** What is loaded, in plain text for screen readers, for example "your credits". */
  what: string;
  rows?: number;
  rowHeight?: number;
  children: (value: Value) => ReactNode;
}

/** A value of the server, or its placeholder while it is being loaded, with the problem of the latest attempt. */
export function LoadedValue<Value>({ of, what, rows = 1, rowHeight = 52, children }: Props<Value>) {
  const { value, isLoading, problem, refresh } = of;
  return (
    <>
      {problem && <ProblemAlert problem={problem} onRetry={() => void refresh()} />}
      {isLoading && <LoadingRows what={what} rows={rows} height={rowHeight} />}
      {value !== null && children(value)}
    </>
  );
}
