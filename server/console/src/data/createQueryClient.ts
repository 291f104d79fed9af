import { focusManager, QueryClient } from '@tanstack/react-query';

// The library watches only the visibility of the page. The focus is watched as well, because data may change while the user works in a
// window next to this one, for example when they try an API key in a terminal.
focusManager.setEventListener((onFocus) => {
  const look = () => onFocus();
  window.addEventListener('focus', look);
  document.addEventListener('visibilitychange', look);
  return () => {
    window.removeEventListener('focus', look);
    document.removeEventListener('visibilitychange', look);
  };
});

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
