import { fetchNamed } from './fetchNamed.ts';

const limits = { timeoutMs: 60_000, maxBytes: 10_000_000 };

/**
 * Replaces the global fetch of the process, so that no library reaches an address that a stranger named: it goes to the given
 * origins alone, as fetchNamed does. Our own code does not use it (ESLint says so).
 * @param origins of libraries that can't be given a fetch: addresses of the settings
 */
export function limitGlobalFetch(origins: ReadonlySet<string>): void {
  globalThis.fetch = async (input, init) => {
    const request = new Request(input, init);
    const { origin } = new URL(request.url);
    if (!origins.has(origin))
      throw new Error(`This process may not fetch from ${origin}: a library tried to. Use server/outgoing.`);
    const { method, headers, signal } = request;
    const body = request.body ? await request.arrayBuffer() : null;
    return fetchNamed(request.url, { method, headers, signal, body }, limits);
  };
}
