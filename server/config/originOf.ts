/**
 * The origin of an address, also of an app shell's (`capacitor://localhost`, `app://parley`): URL calls the origin of every scheme
 * that it does not know `null`.
 */

export function originOf(address: URL): string {
  if (address.origin !== 'null') return address.origin;
  return address.host === '' ? 'null' : `${address.protocol}//${address.host.toLowerCase()}`;
}
