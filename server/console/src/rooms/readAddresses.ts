import { parseCallee } from '@parley/react';

const most = 100;

/** Reads wallet addresses that are separated by white space, commas or semicolons. */
export function readAddresses(text: string): { addresses: string[] } | { problem: string } {
  const parts = text.split(/[\s,;]+/).filter((part) => part !== '');
  if (parts.length === 0) return { problem: 'Enter a wallet address.' };
  const addresses = new Set<string>();
  for (const part of parts) {
    const { address, problem } = parseCallee(part, { origin: location.origin, address: null });
    if (problem !== undefined) return { problem: parts.length > 1 ? `${part}: ${problem}` : problem };
    addresses.add(address);
  }
  if (addresses.size > most) return { problem: `You can invite at most ${most} wallets at once.` };
  return { addresses: [...addresses] };
}
