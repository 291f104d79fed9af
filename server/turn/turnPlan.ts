import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { join, resolve } from 'node:path';
import { hostInUrl } from '../../platform/hostInUrl.ts';
import type { NodeTurn } from '../../platform/node/tables.ts';
import type { Config } from '../config/config.ts';
import { isEveryAddress } from '../config/isEveryAddress.ts';

/** What the TURN server of a node is started with. */
export interface TurnPlan extends NodeTurn {
  /** The address to listen on; null for every address of this machine. */
  listenIp: string | null;
  port: number;
  /** Absent without TLS. */
  tls: { port: number; certificate: string; key: string } | null;
  /** The address of this machine from which it relays, and at which the media workers get what it relays. */
  mediaIp: string;
  /** The address that clients know the media by. */
  announced: string;
}

/**
 * Plans the TURN server of TURN=auto. Clients ask it to relay to the announced address; it sends to `mediaIp` instead, so the relayed
 * packets never leave this machine, even if the announced address belongs to a NAT.
 * @param announced the addresses announced to media clients
 * @param lan the address of this machine on the local network; null without a network
 */
export function planTurn(config: Config, announced: string[], lan: string | null): TurnPlan | null {
  if (config.TURN !== 'auto' || !config.ROLES.includes('media')) return null;
  const { TURN_HOST, TURN_NAME, TURN_PORT, TURN_TLS_PORT, PUBLIC_URL } = config;
  const isAny = isEveryAddress(config.HOST);
  const listenIp = TURN_HOST ?? config.HOST;
  const own = (family: number) =>
    announced.find((address) => isIP(address) === family && isOwnAddress(address));
  // Relays of IPv4 unless media has addresses of IPv6 only: a relay has one family, and browsers ask for IPv4.
  const hasOnly6 = announced.length > 0 && announced.every((address) => isIP(address) === 6);
  const byRoute = () => (hasOnly6 ? own(6) : own(4)) ?? lan ?? '127.0.0.1';
  const mediaIp = isAny ? byRoute() : config.HOST;
  const known = announced.find((address) => isIP(address) === isIP(mediaIp)) ?? mediaIp;
  const ofTurn = isEveryAddress(TURN_HOST) ? undefined : TURN_HOST;
  const host = TURN_NAME ?? ofTurn ?? announced[0] ?? mediaIp;
  const tlsHost = TURN_NAME ?? (PUBLIC_URL ? new URL(PUBLIC_URL).hostname : host);
  const plain = ['udp', 'tcp'].map((over) => `turn:${hostInUrl(host)}:${TURN_PORT}?transport=${over}`);
  const files = certificateFiles(config);
  const tls = TURN_TLS_PORT === undefined || !files ? null : { port: TURN_TLS_PORT, ...files };
  return {
    urls: [...plain, ...(tls ? [`turns:${hostInUrl(tlsHost)}:${tls.port}?transport=tcp`] : [])],
    media: announced.length > 0 ? announced : [mediaIp],
    listenIp: isEveryAddress(listenIp) ? null : listenIp,
    port: TURN_PORT,
    tls,
    mediaIp,
    announced: known,
  };
}

/** The files of the certificate: those of the settings, or the one of `--https`. */
export function certificateFiles(
  config: Pick<Config, 'TURN_CERT_FILE' | 'TURN_KEY_FILE' | 'https' | 'DATA_DIR'>,
): { certificate: string; key: string } | null {
  const { TURN_CERT_FILE: certificate, TURN_KEY_FILE: key } = config;
  if (certificate && key) return { certificate: resolve(certificate), key: resolve(key) };
  const own = join(resolve(config.DATA_DIR), 'certificate.pem');
  return config.https ? { certificate: own, key: own } : null;
}

/** Whether this machine has the address. */
export function isOwnAddress(address: string): boolean {
  return Object.values(networkInterfaces()).some((list) => list?.some((own) => own.address === address));
}

/** The relays that a user may have at a time. A browser asks for one for each URL and each of its two connections. */
const userQuota = 60;
const totalQuota = 6_000;
/** Bytes per second of one relay: a conference of many videos. */
const maxBytesPerSecond = 3_000_000;

/** The lines of coturn's configuration file. */
export function coturnSettings(
  plan: TurnPlan,
  { folder, secrets }: { folder: string; secrets: string[] },
): string[] {
  const { listenIp, port, tls, mediaIp, announced } = plan;
  return [
    `listening-port=${port}`,
    ...(listenIp ? [`listening-ip=${listenIp}`] : []),
    ...(tls ? [`tls-listening-port=${tls.port}`, `cert=${tls.certificate}`, `pkey=${tls.key}`] : ['no-tls']),
    ...['no-dtls', 'no-tlsv1', 'no-tlsv1_1'],
    `relay-ip=${mediaIp}`,
    // For clients that ask for no family, as browsers do.
    ...(isIP(mediaIp) === 6 ? ['allocation-default-address-family=ipv6'] : []),
    // Clients know the media by its announced address. coturn replaces it by this machine's own, in both directions.
    ...(announced === mediaIp ? [] : [`external-ip=${announced}/${mediaIp}`]),
    ...['use-auth-secret', 'realm=parley', 'fingerprint'],
    ...secrets.map((secret) => `static-auth-secret=${secret}`),
    // Only this node's media, only UDP: no other service of this machine or of its networks.
    'denied-peer-ip=0.0.0.0-255.255.255.255',
    'denied-peer-ip=::-ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
    `allowed-peer-ip=${mediaIp}`,
    ...(mediaIp.startsWith('127.') || mediaIp === '::1' ? ['allow-loopback-peers'] : []),
    ...['no-tcp-relay', 'no-multicast-peers', 'no-cli', 'no-rfc5780', 'no-software-attribute'],
    ...[`user-quota=${userQuota}`, `total-quota=${totalQuota}`, `max-bps=${maxBytesPerSecond}`],
    ...[`userdb=${join(folder, 'turn.db')}`, `pidfile=${join(folder, 'turn.pid')}`],
    ...['log-file=stdout', 'simple-log'],
  ];
}
