/** Node's own, whatever replaces the global one later. */
const nodeFetch = globalThis.fetch;

export interface FetchLimits {
  /** For the whole exchange: name, connection, headers and body. */
  timeoutMs: number;
  /** A longer body is an error. */
  maxBytes: number;
}

/**
 * Fetches an address that the operator named in the settings. It may be a private one. Redirects are errors: they would lead to an
 * address that nobody named, with the credentials of this one.
 * @returns a response whose body has arrived
 * @throws Error where there is no answer in time, or the answer redirects or is too long
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
    // Leaving the loop cancels the body, which closes the connection.
    if (size > maxBytes) throw new Error(`the answer has more than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return new Uint8Array(Buffer.concat(chunks));
}
