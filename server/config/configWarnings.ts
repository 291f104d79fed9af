import { isIP } from 'node:net';
import type { Config } from './config.ts';
import { isLoopbackUrl } from './configProblems.ts';
import { isAllowedAddress } from '../outgoing/isAllowedAddress.ts';

/**
 * Settings that work and are risky, one sentence each: logged at every start, and shown by `npm start -- --check`.
 * @param nodeVersion as in `process.versions.node`
 */
export function configWarnings(config: Config, nodeVersion = process.versions.node): string[] {
  return [
    ...(Number(nodeVersion.split('.')[0]) < 22
      ? [`Node ${nodeVersion} has had no security fixes since April 2026. Use Node 24, or 22.`]
      : []),
    ...(config.isProduction ? productionWarnings(config) : developmentWarnings(config)),
  ];
}

function productionWarnings({ CARRIER, ESIM_DRIVER, PUBLIC_URL, FILES_MEGABYTES, ROLES }: Config): string[] {
  return [
    ...(CARRIER === 'loopback'
      ? ['CARRIER=loopback: texts stay within this installation, and the numbers it sells are fictional.']
      : []),
    ...(ESIM_DRIVER === 'loopback'
      ? ['ESIM_DRIVER=loopback: the eSIMs it sells connect to no network.']
      : []),
    ...(PUBLIC_URL?.startsWith('http:')
      ? ['PUBLIC_URL is http: only browsers on this machine can use microphone and camera.']
      : []),
    ...(FILES_MEGABYTES === 0 && ROLES.some((role) => role !== 'media')
      ? [
          'FILES_MEGABYTES=0: files may fill the disk, since wallets cost nothing. Set it to what all files together may take.',
        ]
      : []),
  ];
}

/** Development gives credits away and accepts loopback addresses: not for a server that strangers reach. */
function developmentWarnings({ HOST, PUBLIC_URL, https }: Config): string[] {
  const advice = 'Set NODE_ENV=production before strangers can reach it.';
  if (PUBLIC_URL && !isLoopbackUrl(PUBLIC_URL) && !isPrivateHost(new URL(PUBLIC_URL).hostname))
    return [`This is a development server, and PUBLIC_URL ${PUBLIC_URL} is public. ${advice}`];
  if (!https && !HOST.startsWith('127.') && HOST !== '::1')
    return [`This is a development server, and HOST=${HOST} lets other machines connect. ${advice}`];
  return [];
}

/**
 * Whether nothing real can be spent here: then new accounts get credits to try things with, which would otherwise be
 * money for anybody who makes wallets.
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

/** A name of a local network, or an address of one. */
function isPrivateHost(hostname: string): boolean {
  if (isIP(hostname) === 4) return /^(10|192\.168|172\.(1[6-9]|2\d|3[01]))\./.test(hostname);
  return /\.(local|internal|home\.arpa|test)$/.test(hostname) || !hostname.includes('.');
}
