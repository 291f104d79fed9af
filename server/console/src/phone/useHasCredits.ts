import { useSignedIn } from '../session/ParleyClient.tsx';
import { useStore } from '../session/Store.ts';

/** Whether the balance covers this many credits; true while the balance is unknown. */
export function useHasCredits(credits: number): boolean {
  const { value } = useStore(useSignedIn().account.credits.store);
  return value === null || value.credits >= credits;
}
