import { useSignedIn } from '../session/ParleyClient.tsx';
import { useStore } from '../session/Store.ts';

/** Whether the balance covers it, as far as it is known. */
export function useHasCredits(credits: number): boolean {
  const { value } = useStore(useSignedIn().account.credits.store);
  return value === null || value.credits >= credits;
}
