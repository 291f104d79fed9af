const limitMs = 5_000;
const longestBytes = 1_000_000;

/** A document of the provider's: within a time, of a size, and from where it was asked, not from where that sends us. */
export async function fetchJson(address: string): Promise<unknown> {
  const response = await fetch(address, {
    redirect: 'error',
    signal: AbortSignal.timeout(limitMs),
    headers: { Accept: 'application/json' },
  });
  if (!response.ok || !response.body) throw new Error(`${address} answered ${response.status}`);
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    length += chunk.length;
    if (length > longestBytes) throw new Error(`${address} answered more than ${longestBytes} bytes`);
    chunks.push(chunk);
  }
  return JSON.parse(Buffer.concat(chunks).toString('utf8')) as unknown;
}
