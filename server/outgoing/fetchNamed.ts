/** Node's own fetch, saved before limitGlobalFetch replaces the global one. */
const nodeFetch = globalThis.fetch;

export interface FetchLimits {
  /** The time limit for the whole request: DNS, connection, headers and body. */
  timeoutMs: number;
  /** The maximum size of the body. A longer body is an error. */
  maxBytes: number;
}

/**
 * Fetches a URL from the operator's settings, which may have a private address. Redirects are errors, because they could send the
 * credentials to another server.
 * @returns a response whose whole body has arrived
 * @throws Error if the answer is late, too long or a redirect
 */
export async function fetchNamed(
  address: string | URL,
  init: RequestInit,
  { timeoutMs, maxBytes }: FetchLimits,
): Promise<Response> {
  const late = AbortSignal.timeout(timeoutMs);
  const signal = init.signal ? AbortSignal.any([init.signal, late]) : late;
  const response = await nodeFetch(address, { ...init, redirect: 'error', signal });
  const { status, statusText, headers } = response;
  const body = await bytesOf(response, maxBytes);
  return new Response(body.length > 0 ? body : null, { status, statusText, headers });
}

async function bytesOf(response: Response, maxBytes: number): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    // Throwing here cancels the body, which closes the connection.
    if (size > maxBytes) throw new Error(`the answer is larger than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return new Uint8Array(Buffer.concat(chunks));
}
