import { isGuest, shortAddress } from '@parley/sdk';

/** How the console calls a party that has no display name: a wallet by its short address, a guest by its identity. */
export function partyName(party: string): string {
  if (isGuest(party)) return party.slice('guest:'.length);
  return party.startsWith('account:') ? 'an app' : shortAddress(party);
}
