/**
 * The origin of a URL. It also works for app shells (`capacitor://localhost`, `app://parley`), for which `URL.origin` is the text `null`.
 */
export function originOf(address: URL): string {
  if (address.origin !== 'null') return address.origin;
  return address.host === '' ? 'null' : `${address.protocol}//${address.host.toLowerCase()}`;
}
