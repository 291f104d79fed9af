import { createSocket } from 'node:dgram';
import { createServer, isIP } from 'node:net';
import { isOwnAddress } from '../../turn/turnPlan.ts';
import { isAllowedAddress } from '../../outgoing/isAllowedAddress.ts';
import type { Examined } from '../Examined.ts';
import type { Findings } from '../Finding.ts';
import type { ServerView } from '../serverView.ts';
import { StunSocket, type Over } from '../StunSocket.ts';
import { attributes, encode, types } from '../stun.ts';
import { isLoopbackUrl } from '../../config/configProblems.ts';

type Probe = ServerView['probes'][number];

/** A request as a browser sends it to a media port. Only the transport of this probe answers it. */
export function bindingRequest({ iceParameters: { usernameFragment, password } }: Probe): {
  id: Buffer;
  bytes: Buffer;
} {
  return encode(
    types.binding,
    [
      [attributes.username, Buffer.from(`${usernameFragment}:doctor`)],
      [attributes.priority, Buffer.from([0x6e, 0, 0xff, 0xff])],
    ],
    { key: password, fingerprint: true },
  );
}

/** The media ports at the announced addresses, over UDP and TCP. */
export async function checkMedia(examined: Examined, found: Findings): Promise<void> {
  const { config, server } = examined;
  const hasMedia = config.ROLES.includes('media');
  if (hasMedia) checkAnnounced(examined, found);
  if (!server) return checkFreePorts(examined, found);
  if (!hasMedia) return;
  if (server.probes.length === 0)
    return found.error(
      'MEDIA_WORKERS',
      'No media worker of the server answers. See its log (media worker died)',
    );
  const candidates = server.probes.flatMap((probe) =>
    probe.iceCandidates.map((candidate) => ({ probe, ...candidate })),
  );
  const results = await Promise.all(
    candidates.map(async ({ probe, ...place }) => ({ ...place, answers: await answers(probe, place) })),
  );
  for (const protocol of ['udp', 'tcp'] as const) {
    for (const address of new Set(results.map((result) => result.address))) {
      const those = results.filter((result) => result.protocol === protocol && result.address === address);
      const ports = those.filter((result) => !result.answers).map(({ port }) => port);
      if (those.length === 0) continue;
      if (ports.length === 0) found.ok(`Media answers at ${address} over ${protocol.toUpperCase()}.`);
      else reportSilent(found, { address, protocol, ports, config: examined.config });
    }
  }
}

function reportSilent(
  found: Findings,
  {
    address,
    protocol,
    ports,
    config,
  }: { address: string; protocol: Over; ports: number[]; config: Examined['config'] },
): void {
  const where = `${address}, ${protocol.toUpperCase()} port ${ports.join(', ')}`;
  const isGiven = config.MEDIA_ANNOUNCED_ADDRESS.includes(address);
  if (!isOwnAddress(address))
    found.error(
      isGiven ? 'MEDIA_ANNOUNCED_ADDRESS' : 'HOST',
      `Media does not answer at ${where}. Set MEDIA_ANNOUNCED_ADDRESS to the address under which clients reach this machine. If it is right, its NAT does not forward these ports, or not from inside: then /check in a browser outside tells`,
    );
  else
    found.error(
      'firewall',
      `Media does not answer at ${where}, an address of this machine. Open the port in its firewall, and check HOST and MEDIA_PORT`,
    );
}

async function answers(
  probe: Probe,
  { address, port, protocol }: Probe['iceCandidates'][number],
): Promise<boolean> {
  const { id, bytes } = bindingRequest(probe);
  try {
    const socket = await StunSocket.open({ host: address, port, over: protocol, framing: 'length' });
    const answer = await socket.ask(bytes, (message) => message.id.equals(id));
    socket.close();
    return answer?.type === types.bindingAnswer;
  } catch {
    return false;
  }
}

/** Compares the announced addresses with those of this machine. */
function checkAnnounced({ config, publicUrl, announced }: Examined, found: Findings): void {
  const { MEDIA_ANNOUNCED_ADDRESS: given, HOST } = config;
  const isLocal = isLoopbackUrl(publicUrl) || new URL(publicUrl).hostname.endsWith('.localhost');
  const isPublic = publicUrl.startsWith('https:') && !isLocal;
  const addresses = announced.length > 0 ? announced : [HOST];
  const isInside = (address: string) =>
    isIP(address) !== 0 && !isAllowedAddress(address, { allowLoopback: false, own: new Set() });
  if (isPublic && given.length === 0 && addresses.every(isInside))
    found.warning(
      'MEDIA_ANNOUNCED_ADDRESS',
      'No address is announced to media clients, so only those of this network are connected. Set MEDIA_ANNOUNCED_ADDRESS to the public address of this machine',
    );
  else if (isPublic && addresses.every(isInside))
    found.error(
      'MEDIA_ANNOUNCED_ADDRESS',
      `Only private addresses are announced to media clients (${given.join(', ')}), which the internet does not reach. Add the public address`,
    );
  for (const address of given)
    if (isIP(address) !== 0 && isOwnAddress(address))
      found.ok(`The announced address ${address} belongs to this machine.`);
}

/** A port that the server listens on. */
interface Place {
  setting: string;
  /** The setting of the address. */
  hostSetting: string;
  host: string;
  port: number;
  kinds: ('udp' | 'tcp')[];
}

/** While the server is stopped: whether it could have its ports. */
async function checkFreePorts({ config }: Examined, found: Findings): Promise<void> {
  for (const { setting, hostSetting, host, port, kinds } of placesOf(config)) {
    const problems = await Promise.all(kinds.map((kind) => bindingProblem(host, port, kind)));
    // Other problems, such as a missing right to a port below 1024, may concern this user only.
    if (problems.includes('EADDRINUSE'))
      found.error(setting, `Port ${port} is used by another program. Stop it, or set ${setting}`);
    else if (problems.includes('EADDRNOTAVAIL')) {
      found.error(hostSetting, `${host} is no address of this machine. Set ${hostSetting} to one of them`);
      break;
    }
  }
  if (found.all.every(({ level }) => level === 'ok'))
    found.ok('The ports of the server are free. It is stopped, so whether clients reach them was not tried.');
}

function placesOf(config: Examined['config']): Place[] {
  const { HOST: host, ROLES: roles, PORT, RTMP_PORT, METRICS_PORT, REDIS_URL, CLUSTER_HOST } = config;
  const atHost = { hostSetting: 'HOST', host };
  const tcp = (setting: string, port: number): Place => ({ setting, ...atHost, port, kinds: ['tcp'] });
  const places = [tcp('PORT', PORT)];
  if (METRICS_PORT !== undefined) places.push(tcp('METRICS_PORT', METRICS_PORT));
  if (RTMP_PORT !== 0 && roles.includes('signaling')) places.push(tcp('RTMP_PORT', RTMP_PORT));
  if (!roles.includes('media')) return places;
  for (let index = 0; index < config.MEDIA_WORKERS; index++)
    places.push({
      setting: 'MEDIA_PORT',
      ...atHost,
      port: config.MEDIA_PORT + index,
      kinds: ['udp', 'tcp'],
    });
  if (REDIS_URL !== undefined)
    places.push({
      ...tcp('CLUSTER_PORT', config.CLUSTER_PORT),
      ...(CLUSTER_HOST === undefined ? {} : { hostSetting: 'CLUSTER_HOST', host: CLUSTER_HOST }),
    });
  if (config.TURN !== 'auto') return places;
  const atTurnHost =
    config.TURN_HOST === undefined ? atHost : { hostSetting: 'TURN_HOST', host: config.TURN_HOST };
  places.push({ setting: 'TURN_PORT', ...atTurnHost, port: config.TURN_PORT, kinds: ['udp', 'tcp'] });
  if (config.TURN_TLS_PORT !== undefined)
    places.push({ setting: 'TURN_TLS_PORT', ...atTurnHost, port: config.TURN_TLS_PORT, kinds: ['tcp'] });
  return places;
}

/** @returns the code of the error with which a program that wants this port would fail; null if it could have it */
function bindingProblem(host: string, port: number, kind: 'udp' | 'tcp'): Promise<string | null> {
  return new Promise((resolve) => {
    const refuse = ({ code = 'unknown' }: NodeJS.ErrnoException) => resolve(code);
    if (kind === 'udp') {
      const socket = createSocket(isIP(host) === 6 ? 'udp6' : 'udp4');
      socket.once('error', refuse).bind(port, host, () => socket.close(() => resolve(null)));
    } else {
      const server = createServer();
      server.once('error', refuse).listen(port, host, () => server.close(() => resolve(null)));
    }
  });
}
