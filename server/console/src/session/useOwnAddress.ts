import { useSignedIn } from './ParleyClient.tsx';

/** The wallet of whoever is signed in, for what is shown to those alone who have one. */
export function useOwnAddress(): string {
  const { address } = useSignedIn();
  if (address === null) throw new Error('This component is for accounts with a wallet.');
  return address;
}
