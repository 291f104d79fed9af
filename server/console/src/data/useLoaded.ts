import { useQuery } from '@tanstack/react-query';
import { explain, type Problem } from '../ui/explain.ts';
import type { ValueQuery } from './createQueries.ts';

export interface Loaded<Value> {
  /** The latest value; null until it is loaded. It stays while the next one is being loaded, even if that fails. */
  value: Value | null;
  /** The first value is being loaded. */
  isLoading: boolean;
  isRefreshing: boolean;
  problem: Problem | null;
  refresh: () => Promise<unknown>;
}

export interface LoadOptions {
  /** The interval at which data is read again, if it may change without an event. Reading pauses while the window is hidden. */
  everyMs?: number | false;
  /** Whether to read the data. If not, shows what other components have read. @default true */
  isRead?: boolean;
}

/** A value of the server. */
export function useLoaded<Value>(query: ValueQuery<Value>, options: LoadOptions = {}): Loaded<Value> {
  const { everyMs = false, isRead = true } = options;
  const { data, error, isLoading, isRefetching, refetch } = useQuery({
    ...query,
    enabled: isRead,
    refetchInterval: everyMs,
  });
  return {
    value: data ?? null,
    isLoading,
    isRefreshing: isRefetching,
    problem: error && explain(error),
    refresh: refetch,
  };
}
