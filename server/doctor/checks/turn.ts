import { lookup } from 'node:dns/promises';
import { findTool } from '../../../platform/system/findTool.mjs';
import type { Examined } from '../Examined.ts';
import type { Findings } from '../Finding.ts';
import type { ServerView } from '../serverView.ts';
import { decode, types } from '../stun.ts';
import { parseTurnUrl, TurnClient, TurnRefused, withoutCredentials } from '../TurnClient.ts';
import { bindingRequest } from './media.ts';

type Probe = ServerView['probes'][number];

/** Each TURN server over each transport: it must give a relay with real credentials, and relay to the media. */
export async function checkTurn(examined: Examined, found: Findings): Promise<void> {
  const { urls, credentials } = examined.turn;
  const { config, server } = examined;
  const isOwn = config.TURN === 'auto';
  if (isOwn && !config.ROLES.includes('media'))
    return found.ok('The TURN servers run on the nodes with media.');
  if (urls.length === 0)
    return found.warning(
      'TURN',
      'There is no TURN server, so clients behind strict firewalls cannot call. Set TURN=auto, with TURN_TLS_PORT=443 if possible',
    );
  if (isOwn && !server)
    return findTool('coturn')
      ? found.ok('The TURN server starts with the server.')
      : found.error(
          'TURNSERVER_BIN',
          'coturn is not installed, so the server does not start. Run: apt-get install coturn. Or set TURNSERVER_BIN to the path of turnserver',
        );
  if (!credentials) return;
  await Promise.all(urls.map((url) => checkServer(examined, url, found)));
  if (!urls.some((url) => url.startsWith('turns:')))
    found.warning(
      isOwn ? 'TURN_TLS_PORT' : 'TURN_URLS',
      'No TURN server uses TLS, which is all that some firewalls let through. ' +
        (isOwn ? 'Set TURN_TLS_PORT (443 is best) with a certificate' : 'Add a turns: address'),
    );
}

async function checkServer({ turn, server, config }: Examined, url: string, found: Findings): Promise<void> {
  const isOwn = config.TURN === 'auto';
  const setting = isOwn ? (url.startsWith('turns:') ? 'TURN_TLS_PORT' : 'TURN_PORT') : 'TURN_URLS';
  if (!turn.credentials) return;
  try {
    const relay = await TurnClient.allocate(parseTurnUrl(url), turn.credentials);
    try {
      const probe = server?.probes[0];
      const media = probe && (await placeOf(probe));
      if (!probe || !media) return found.ok(`${url} gives relays.`);
      await relay.permit(media.address);
      const answer = await relay.exchange(media.address, media.port, bindingRequest(probe).bytes);
      if (answer && decode(answer)?.type === types.bindingAnswer) found.ok(`${url} relays to the media.`);
      else
        found.error(
          'MEDIA_ANNOUNCED_ADDRESS',
          `${url} gives relays, but nothing comes back from the media at ${media.address}:${media.port}. Check MEDIA_ANNOUNCED_ADDRESS, and that the TURN server reaches it`,
        );
    } finally {
      await relay.close();
    }
  } catch (error) {
    report(error, { url, setting, isOwn }, found);
  }
}

/** Where a TURN server reaches the media. An IPv4 address comes first, because browsers ask for relays of IPv4. Null if none is known. */
async function placeOf({ iceCandidates }: Probe): Promise<{ address: string; port: number } | null> {
  for (const family of [4, 6])
    for (const { address: name, port, protocol } of iceCandidates) {
      const found = protocol === 'udp' ? await lookup(name, { family }).catch(() => null) : null;
      if (found?.family === family) return { address: found.address, port };
    }
  return null;
}

function report(
  error: unknown,
  { url, setting, isOwn }: { url: string; setting: string; isOwn: boolean },
  found: Findings,
): void {
  const code = error instanceof TurnRefused ? error.code : null;
  if (isOwn && (code === 401 || code === withoutCredentials))
    found.error(
      setting,
      `${url} is another TURN server, not the one of this server. Stop it, or set ${setting} to a free port`,
    );
  else if (code === withoutCredentials)
    found.error(
      setting,
      `${url} gives relays without credentials, so strangers use it. Set use-auth-secret in coturn, and static-auth-secret to TURN_SECRET`,
    );
  else if (code === 401)
    found.error(
      'TURN_SECRET',
      `${url} refuses the credentials. Set TURN_SECRET to the static-auth-secret of the TURN server, and run NTP on both machines`,
    );
  else if (code === 403)
    found.error(
      'allowed-peer-ip',
      `${url} does not relay to the media. Allow its address (allowed-peer-ip in coturn)`,
    );
  else if (code === 443)
    found.error(
      'MEDIA_ANNOUNCED_ADDRESS',
      `${url} relays to IPv4 only, and media has no IPv4 address. Announce one to media clients as well`,
    );
  else if (code === 486 || code === 508)
    found.warning(
      'total-quota',
      `${url} has no relay left (${code}). Raise total-quota in coturn, or add a server`,
    );
  else
    found.error(
      setting,
      `${url} gives no relay (${(error as Error).message}). Check that it runs, its address and port, and that the firewall lets it through`,
    );
}
