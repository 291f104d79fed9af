/* The URL class of React Native is incomplete, so URLs are read with a regular expression. */

const httpUrl =
  /^(?<scheme>https?):\/\/(?<host>\[[\da-f:.]+\]|[^\s/?#@:\\[\]<>^|%]+)(?::(?<port>\d{1,5}))?(?<path>\/[^\s?#]*)?$/i;
const defaultPort = { http: '80', https: '443' };

/** Whether this is an http(s) URL without query, fragment, user and password. */
export function isHttpUrl(text: string): boolean {
  const { port = '0' } = httpUrl.exec(text)?.groups ?? { port: undefined };
  return httpUrl.test(text) && Number(port) < 65_536;
}

/** The origin of an http(s) URL, as browsers write it; the text itself if it is no such URL. */
export function originOf(url: string): string {
  const { scheme = '', host = '', port } = httpUrl.exec(url)?.groups ?? {};
  if (!host) return url;
  // Only the URL class of browsers and Node converts such a name to ASCII.
  if (!/^[!-~]+$/.test(host)) return new URL(url).origin;
  const lower = scheme.toLowerCase() as 'http' | 'https';
  return `${lower}://${host.toLowerCase()}${port === undefined || port === defaultPort[lower] ? '' : `:${port}`}`;
}

/** The host of an origin, with its port. */
export const hostOf = (origin: string): string => origin.slice(origin.indexOf('//') + 2);
