import { QueryClient } from '@tanstack/react-query';

/**
 * Creates the cache for the data of one session. Data is read again when a component that shows it appears, and when the user returns to
 * the window. Nothing is retried here, because the SDK retries transient failures, and no request waits for the browser to call itself
 * online, because the server may be in the local network.
 */
export const createQueryClient = (): QueryClient =>
  new QueryClient({
    defaultOptions: {
      queries: { retry: false, networkMode: 'always', gcTime: Infinity },
      mutations: { retry: false, networkMode: 'always' },
    },
  });
