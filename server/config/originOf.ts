/**
 * The origin of a URL, including those of app shells (`capacitor://localhost`, `app://parley`), for whose schemes `URL` says `null`.
 */
export function originOf(address: URL): string {
  if (address.origin !== 'null') return address.origin;
  return address.host === '' ? 'null' : `${address.protocol}//${address.host.toLowerCase()}`;
}
