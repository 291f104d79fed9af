import { isIP } from 'node:net';
import type { Config } from './config.ts';
import { isLoopbackUrl } from './configProblems.ts';
import { settings } from './settings.ts';
import { isAllowedAddress } from '../outgoing/isAllowedAddress.ts';

/**
 * Warnings about valid but risky settings. They are logged at every start and shown by `npm start -- --check`.
 * @param nodeVersion as in `process.versions.node`
 */
export function configWarnings(
  config: Config,
  nodeVersion = process.versions.node,
  env: NodeJS.ProcessEnv = process.env,
): string[] {
  return [
    ...misspelledNames(env),
    ...(Number(nodeVersion.split('.')[0]) < 22
      ? [`Node ${nodeVersion} has had no security fixes since April 2026. Use Node 24 or 22.`]
      : []),
    ...ipVersionWarnings(config),
    ...(config.isProduction ? productionWarnings(config) : developmentWarnings(config)),
  ];
}

/** Finds variables of the environment that are no setting, but whose name is nearly that of one. The server ignores them. */
function misspelledNames(env: NodeJS.ProcessEnv): string[] {
  const names = Object.keys(settings);
  return Object.keys(env).flatMap((given) => {
    if (names.includes(given) || !/^[A-Z0-9_]{5,}$/.test(given)) return [];
    const furthest = given.length < 10 ? 1 : 2;
    const meant = names.find((name) => distance(given, name, furthest) <= furthest);
    return meant === undefined || meant in env
      ? []
      : [`${given} is no setting and has no effect. Did you mean ${meant}?`];
  });
}

/** @returns how many characters must be added, removed or replaced to turn one text into the other; Infinity if more than `furthest` */
function distance(one: string, other: string, furthest: number): number {
  if (Math.abs(one.length - other.length) > furthest) return Infinity;
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [index, character] of [...one].entries()) {
    const next = [index + 1];
    for (const [at, wanted] of [...other].entries())
      next.push(
        Math.min(
          (row[at] ?? 0) + (character === wanted ? 0 : 1),
          (row[at + 1] ?? 0) + 1,
          (next[at] ?? 0) + 1,
        ),
      );
    row = next;
  }
  return row.at(-1) ?? 0;
}

/** Announced addresses of IPv6 need a socket of IPv6, and the other way round. */
function ipVersionWarnings({ HOST, MEDIA_ANNOUNCED_ADDRESS: announced, ROLES }: Config): string[] {
  const version = isIP(HOST);
  const others = announced.filter((address) => isIP(address) !== 0 && isIP(address) !== version);
  if (HOST === '::' || others.length === 0 || !ROLES.includes('media')) return [];
  return [
    `MEDIA_ANNOUNCED_ADDRESS names ${others.join(', ')}, but HOST=${HOST} listens for IPv${version} only: nobody gets media there, unless something in front of this machine translates. Set HOST=:: to listen for both.`,
  ];
}

function productionWarnings({
  CARRIER,
  SMS_POOL_NUMBERS,
  ESIM_DRIVER,
  PUBLIC_URL,
  FILES_MEGABYTES,
  ROLES,
  HOST,
}: Config): string[] {
  return [
    ...(ROLES.includes('media') && PUBLIC_URL && !isLoopbackUrl(PUBLIC_URL) && isLoopback(HOST)
      ? [
          `HOST=${HOST}: media listens there, too, so nobody on another machine gets media. Set HOST=0.0.0.0 (or an address that clients reach), and let the firewall open the media ports.`,
        ]
      : []),
    ...(CARRIER === 'loopback'
      ? ['CARRIER=loopback: texts stay within this installation, and the numbers for sale are fictional.']
      : []),
    ...(CARRIER !== 'loopback' && SMS_POOL_NUMBERS.length === 0 && ROLES.includes('api')
      ? [
          `CARRIER=${CARRIER} without SMS_POOL_NUMBERS: there is no number from which POST /api/v1/sms/send and verifications could send, so they are refused. Set it to numbers of the carrier.`,
        ]
      : []),
    ...(ESIM_DRIVER === 'loopback'
      ? ['ESIM_DRIVER=loopback: the eSIMs for sale connect to no network.']
      : []),
    ...(PUBLIC_URL?.startsWith('http:')
      ? ['PUBLIC_URL is http: only browsers on this machine can use the microphone and camera.']
      : []),
    ...(FILES_MEGABYTES === 0 && ROLES.some((role) => role !== 'media')
      ? [
          'FILES_MEGABYTES=0: uploads may fill the disk, because anybody can create wallets. Set it to the storage for all files.',
        ]
      : []),
  ];
}

/** A development server gives credits away and accepts loopback addresses, so strangers should not reach it. */
function developmentWarnings({ HOST, PUBLIC_URL, https }: Config): string[] {
  const advice = 'Set NODE_ENV=production before you make it public.';
  if (PUBLIC_URL && !isLoopbackUrl(PUBLIC_URL) && !isPrivateHost(new URL(PUBLIC_URL).hostname))
    return [`This is a development server, and PUBLIC_URL ${PUBLIC_URL} is public. ${advice}`];
  if (!https && !isLoopback(HOST))
    return [`This is a development server, and HOST=${HOST} lets other machines connect. ${advice}`];
  return [];
}

/**
 * Whether new accounts get free credits. They do only on development servers that are not public and sell nothing of value.
 * Elsewhere, anybody could get things of value for free by creating wallets.
 */
export function givesTrialCredits(config: Config): boolean {
  const { HOST, PUBLIC_URL } = config;
  const isPublic = PUBLIC_URL
    ? !isLoopbackUrl(PUBLIC_URL) && !isPrivateHost(new URL(PUBLIC_URL).hostname)
    : false;
  const listensPublicly = isIP(HOST) !== 0 && isPublicAddress(HOST);
  const sellsRealThings =
    config.CARRIER !== 'loopback' ||
    config.ESIM_DRIVER !== 'loopback' ||
    config.LOOKUP_DRIVER !== 'embedded' ||
    config.LEAKSEARCH_DRIVER !== 'local';
  return !config.isProduction && !isPublic && !listensPublicly && !sellsRealThings;
}

const isLoopback = (address: string) => address.startsWith('127.') || address === '::1';

const isPublicAddress = (address: string) =>
  isAllowedAddress(address, { allowLoopback: false, own: new Set() });

/** Whether the host of a URL belongs to a private network. */
function isPrivateHost(hostname: string): boolean {
  if (isIP(hostname) === 4) return /^(10|192\.168|172\.(1[6-9]|2\d|3[01]))\./.test(hostname);
  if (hostname.startsWith('[')) return !isPublicAddress(hostname.slice(1, -1));
  return /\.(local|internal|home\.arpa|test)$/.test(hostname) || !hostname.includes('.');
}
