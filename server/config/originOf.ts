/**
 * The origin of a URL, including those of app shells (`capacitor://localhost`, `app://parley`), whose `origin` is `null` in the class
 * `URL`.
 */
export function originOf(address: URL): string {
  if (address.origin !== 'null') return address.origin;
  return address.host === '' ? 'null' : `${address.protocol}//${address.host.toLowerCase()}`;
}
