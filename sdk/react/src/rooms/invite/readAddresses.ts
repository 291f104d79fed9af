import type { Address } from '@parley/sdk';
import { parseCallee } from '../../calls/parseCallee.ts';
import type { Words } from '../../words/english.ts';

const most = 100;

/** Reads wallet addresses that are separated by white space, commas or semicolons. */
export function readAddresses(text: string, words: Words): { addresses: Address[] } | { problem: string } {
  const parts = text.split(/[\s,;]+/).filter((part) => part !== '');
  if (parts.length === 0) return { problem: words.rooms.noAddress };
  const addresses = new Set<Address>();
  for (const part of parts) {
    const { address, problem } = parseCallee(part, { origin: location.origin, address: null }, words.callee);
    if (problem !== undefined) return { problem: parts.length > 1 ? `${part}: ${problem}` : problem };
    addresses.add(address);
  }
  if (addresses.size > most) return { problem: words.rooms.tooManyAddresses(most) };
  return { addresses: [...addresses] };
}
