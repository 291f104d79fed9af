import { isIP } from 'node:net';
import type { Config } from './config.ts';
import { isLoopbackUrl } from './configProblems.ts';
import { isAllowedAddress } from '../outgoing/isAllowedAddress.ts';

/**
 * Warnings about valid but risky settings. They are logged at every start and shown by `npm start -- --check`.
 * @param nodeVersion as in `process.versions.node`
 */
export function configWarnings(config: Config, nodeVersion = process.versions.node): string[] {
  return [
    ...(Number(nodeVersion.split('.')[0]) < 22
      ? [`Node ${nodeVersion} has had no security fixes since April 2026. Use Node 24 or 22.`]
      : []),
    ...(config.isProduction ? productionWarnings(config) : developmentWarnings(config)),
  ];
}

function productionWarnings({ CARRIER, ESIM_DRIVER, PUBLIC_URL, FILES_MEGABYTES, ROLES }: Config): string[] {
  return [
    ...(CARRIER === 'loopback'
      ? ['CARRIER=loopback: texts stay within this installation, and the numbers for sale are fictional.']
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
  if (!https && !HOST.startsWith('127.') && HOST !== '::1')
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
  const listensPublicly =
    isIP(HOST) !== 0 && isAllowedAddress(HOST, { allowLoopback: false, own: new Set() });
  const sellsRealThings =
    config.CARRIER !== 'loopback' ||
    config.ESIM_DRIVER !== 'loopback' ||
    config.LOOKUP_DRIVER !== 'embedded' ||
    config.LEAKSEARCH_DRIVER !== 'local';
  return !config.isProduction && !isPublic && !listensPublicly && !sellsRealThings;
}

/** Whether a host name or address belongs to a private network. */
function isPrivateHost(hostname: string): boolean {
  if (isIP(hostname) === 4) return /^(10|192\.168|172\.(1[6-9]|2\d|3[01]))\./.test(hostname);
  return /\.(local|internal|home\.arpa|test)$/.test(hostname) || !hostname.includes('.');
}
