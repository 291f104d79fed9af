import { fetchNamed } from '../../outgoing/fetchNamed.ts';

const limits = { timeoutMs: 5_000, maxBytes: 1_000_000 };

/** Fetches a JSON document of the provider. */
export async function fetchJson(address: string): Promise<unknown> {
  const response = await fetchNamed(address, { headers: { Accept: 'application/json' } }, limits);
  if (!response.ok) throw new Error(`${address} answered ${response.status}`);
  return response.json();
}
