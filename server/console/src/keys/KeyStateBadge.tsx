import { useNow } from '@parley/react';
import { StatusBadge } from '../ui/StatusBadge.tsx';
import type { KeyState } from './keyState.ts';

const soonMs = 7 * 24 * 60 * 60_000;

/** Shows whether a key is active, expired or revoked, or expires soon. */
export function KeyStateBadge({ state, expiresAt }: { state: KeyState; expiresAt: Date | null }) {
  const now = useNow(60_000);
  const endsSoon = state === 'active' && expiresAt !== null && expiresAt.getTime() - now.getTime() < soonMs;
  const color = endsSoon ? 'amber' : { active: 'pine', expired: 'brick', revoked: 'gray' }[state];
  return <StatusBadge color={color} label={endsSoon ? 'expires soon' : state} />;
}
