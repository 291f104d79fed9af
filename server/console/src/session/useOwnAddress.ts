import { useSignedIn } from './ParleyClient.tsx';

/** The signed-in wallet, for components that are shown only to accounts with a wallet. */
export function useOwnAddress(): string {
  const { address } = useSignedIn();
  if (address === null) throw new Error('This component is for accounts with a wallet.');
  return address;
}
