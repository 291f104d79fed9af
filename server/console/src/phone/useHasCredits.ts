import { useLoaded } from '../data/useLoaded.ts';
import { useSignedIn } from '../session/ParleyClient.tsx';

/** Whether the balance covers this many credits; true while the balance is unknown. */
export function useHasCredits(credits: number): boolean {
  const { value } = useLoaded(useSignedIn().queries.credits, { isRead: false });
  return value === null || value.credits >= credits;
}
