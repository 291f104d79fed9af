import { fetchNamed } from './fetchNamed.ts';

const limits = { timeoutMs: 60_000, maxBytes: 10_000_000 };

/**
 * Replaces the global fetch of the process, so that no library can fetch a URL that a user has given. The replacement fetches only from the
 * given origins, with the limits of fetchNamed(). The server's own code does not use the global fetch; ESLint checks this.
 * @param origins the origins from the settings, for libraries that do not accept a custom fetch
 */
export function limitGlobalFetch(origins: ReadonlySet<string>): void {
  globalThis.fetch = async (input, init) => {
    const request = new Request(input, init);
    const { origin } = new URL(request.url);
    if (!origins.has(origin))
      throw new Error(
        `A library tried to fetch from ${origin}, which is not allowed in this process. Use server/outgoing instead.`,
      );
    const { method, headers, signal } = request;
    const body = request.body ? await request.arrayBuffer() : null;
    return fetchNamed(request.url, { method, headers, signal, body }, limits);
  };
}
