import { channel, type ChannelListener } from 'node:diagnostics_channel';
import type { ClientRequest } from 'node:http';

/** Records every origin to which this process sends an HTTP request, by fetch or by node:http, from any library. */
export function recordOrigins(): { origins: Set<string>; stop: () => void } {
  const origins = new Set<string>();
  const byFetch: ChannelListener = (message) => {
    const { request } = message as { request: { origin: string | URL } };
    origins.add(new URL(request.origin).origin);
  };
  const byHttp: ChannelListener = (message) => {
    const { request } = message as { request: ClientRequest };
    origins.add(new URL(`${request.protocol}//${String(request.getHeader('host'))}`).origin);
  };
  const channels = [
    ['undici:request:create', byFetch],
    ['http.client.request.start', byHttp],
  ] as const;
  for (const [name, listener] of channels) channel(name).subscribe(listener);
  return {
    origins,
    stop: () => channels.forEach(([name, listener]) => channel(name).unsubscribe(listener)),
  };
}
