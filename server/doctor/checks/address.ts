import { connect as connectTcp } from 'node:net';
import { io } from 'socket.io-client';
import { isLoopbackUrl } from '../../config/configProblems.ts';
import type { Examined } from '../Examined.ts';
import type { Findings } from '../Finding.ts';
import { askServer, type Asked, type ServerView } from '../serverView.ts';
import { checkClock } from './stores.ts';

const limitMs = 8_000;
/** An address for documentation (RFC 5737), which no client has. */
const madeUp = '192.0.2.123';

/** The address that users open: it must lead to this server, be secure, and pass WebSockets. */
export async function checkAddress(examined: Examined, found: Findings): Promise<void> {
  const { publicUrl, secrets, server } = examined;
  if (!publicUrl.startsWith('https:') && !isLoopbackUrl(publicUrl))
    found.error(
      'PUBLIC_URL',
      `Browsers give ${publicUrl} no camera and microphone, because it is not https. Put a proxy with TLS in front, and set PUBLIC_URL to its https address`,
    );
  else found.ok(`${publicUrl} is a secure context.`);
  if (!server) return;
  let asked: Asked;
  try {
    asked = await askServer(publicUrl, secrets, madeUp);
  } catch (error) {
    return found.error(
      'PUBLIC_URL',
      `${publicUrl} does not answer (${(error as Error).message}). Check the name in DNS, the proxy and its firewall`,
    );
  }
  const { view, status, date } = asked;
  if (!view)
    return status === 421
      ? found.error(
          'ALLOWED_ORIGINS',
          `The proxy passes another host name than that of PUBLIC_URL on. Let it pass the Host header on, or add its name to ALLOWED_ORIGINS`,
        )
      : found.error(
          'PUBLIC_URL',
          `${publicUrl} leads to another server or installation (status ${status}). Check DNS and the proxy`,
        );
  found.ok(`${publicUrl} leads to this installation.`);
  if (date) checkClock(found, publicUrl, date.getTime() + 500 - Date.now());
  const hops = hopsOf(view);
  const hasProxy = publicUrl.startsWith('https:') && !examined.config.https;
  // Many proxies pass on what a client sends in X-Forwarded-For, and add nothing unless they are told to.
  if (hasProxy && hops.length === 0 && view.client !== madeUp)
    found.warning(
      'proxy',
      'The proxy sends no X-Forwarded-For and X-Forwarded-Proto, so all users share one address and its limits. Let it send both headers',
    );
  else checkProxies(examined, view, hops, found);
  await checkWebSocket(publicUrl, found);
}

/** The addresses that proxies have added. Each adds that of its client behind what the client sent. Some replace it. */
const hopsOf = ({ forwardedFor }: ServerView) => forwardedFor.slice(forwardedFor.lastIndexOf(madeUp) + 1);

/** Compares whom the server takes for the client with the proxies on the way. */
function checkProxies(
  { config }: Examined,
  { client, connection }: ServerView,
  hops: string[],
  found: Findings,
): void {
  const count = hops.length === 1 ? '1 proxy is' : `${hops.length} proxies are`;
  const trusted = config.TRUST_PROXY;
  const isTooHigh = client === madeUp || (typeof trusted === 'number' && trusted > hops.length);
  // If a proxy runs on the same machine as the doctor, addresses alone do not tell them apart.
  const isTooLow = typeof trusted === 'number' ? trusted < hops.length : client !== (hops[0] ?? connection);
  const setting = `Set TRUST_PROXY=${hops.length}`;
  if (isTooHigh)
    found.error(
      'TRUST_PROXY',
      `Clients can make up their address, which evades limits: ${count} on the way, and TRUST_PROXY is ${String(trusted)}. ${setting}`,
    );
  else if (isTooLow)
    found.error(
      'TRUST_PROXY',
      `The server takes a proxy (${client}) for the client, so all users share its limits: ${count} on the way, and TRUST_PROXY is ${String(trusted)}. ${setting}`,
    );
  else found.ok(`${count} on the way, as TRUST_PROXY says.`);
}

async function checkWebSocket(publicUrl: string, found: Findings): Promise<void> {
  const socket = io(publicUrl, {
    transports: ['websocket'],
    reconnection: false,
    timeout: limitMs,
    rejectUnauthorized: false,
    forceNew: true,
  });
  const problem = await new Promise<string | null>((resolve) => {
    socket.once('connect', () => resolve(null));
    socket.once('connect_error', (error) => {
      // Without a token the server refuses, which shows that the WebSocket arrives. Errors of the way have a type.
      const isOfTransport = 'type' in error || error.message === 'timeout';
      resolve(isOfTransport ? error.message : null);
    });
  });
  socket.disconnect();
  if (problem === null) found.ok('WebSockets pass.');
  else
    found.error(
      'proxy',
      `WebSockets do not pass through ${publicUrl} (${problem}), so nobody can sign in. Let the proxy pass Upgrade and Connection headers (nginx: proxy_http_version 1.1)`,
    );
}

/** Whether the server can reach the internet by https, as pushes, webhooks and providers need. */
export async function checkOutgoing({ config }: Examined, found: Findings): Promise<void> {
  const hosts = [
    ...(config.PUSH.includes('web') || config.PUSH.includes('fcm') ? ['fcm.googleapis.com'] : []),
    ...(config.PUSH.includes('apns') ? [new URL(config.APNS_API_BASE).hostname] : []),
    ...(config.CARRIER === 'twilio' ? ['api.twilio.com'] : []),
  ];
  await Promise.all(
    hosts.map(async (host) => {
      const problem = await connects(host, 443);
      if (problem === null) found.ok(`${host} can be reached.`);
      else
        found.warning(
          'firewall',
          `${host} cannot be reached (${problem}), so its pushes or texts are not sent. Allow outgoing TCP to port 443, and DNS`,
        );
    }),
  );
}

/** @returns what prevents a connection; null if nothing does */
function connects(host: string, port: number): Promise<string | null> {
  return new Promise((resolve) => {
    const socket = connectTcp({ host, port, timeout: limitMs });
    const end = (problem: string | null) => {
      socket.destroy();
      resolve(problem);
    };
    socket.once('connect', () => end(null));
    socket.once('timeout', () => end('no answer'));
    socket.once('error', (error: NodeJS.ErrnoException) => end(error.code ?? error.message));
  });
}
