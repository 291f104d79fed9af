import { Store, useStore } from '@parley/react';
import { useEffect } from 'react';
import { useRoute } from 'wouter';
import { useList } from '../data/useList.ts';
import { useSignedIn } from '../session/ParleyClient.tsx';
import { pagePaths } from './paths.ts';

const keyOf = (address: string | null) => `parley.callsSeen.${address}`;

/** When the user last saw the history of calls in this browser, by wallet, as milliseconds of the server's clock. */
const seen = new Store<Record<string, number>>({});

function seenOf(address: string | null, known: Record<string, number>): number {
  try {
    return known[`${address}`] ?? Number(localStorage.getItem(keyOf(address)) ?? 0);
  } catch {
    return 0;
  }
}

/** The number of missed calls since the user last saw the history of calls, in the part of the history that is loaded. */
export function useMissedCalls(): number {
  const { address, queries } = useSignedIn();
  const { value } = useList(queries.callHistory, { isRead: address !== null });
  const [isSeen] = useRoute(pagePaths.calls[0]);
  const since = seenOf(address, useStore(seen));
  const times = (value ?? [])
    .filter(({ status, direction }) => status === 'missed' && direction === 'incoming')
    .map(({ startedAt }) => startedAt?.getTime() ?? 0);
  const latest = Math.max(0, ...times);
  useEffect(() => {
    if (!isSeen || latest <= since) return;
    seen.set({ ...seen.get(), [`${address}`]: latest });
    try {
      localStorage.setItem(keyOf(address), `${latest}`);
    } catch {
      // Storage is blocked, so the calls count as missed again after a reload.
    }
  }, [address, isSeen, latest, since]);
  return isSeen ? 0 : times.filter((time) => time > since).length;
}
