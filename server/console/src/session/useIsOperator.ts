import { useLoaded } from '../data/useLoaded.ts';
import { useSignedIn } from './ParleyClient.tsx';

/** Whether the user is the operator of this server; false until it is known. */
export function useIsOperator(): boolean {
  const { queries, kind, address } = useSignedIn();
  // A temporary wallet is never the operator's, so there is no need to ask.
  const isAsked = address !== null && kind !== 'throwaway';
  return useLoaded(queries.isOperator, { isRead: isAsked }).value === true;
}
