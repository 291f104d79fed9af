import { accessSync, constants } from 'node:fs';
import { allRoles } from '../../platform/node/roles.ts';
import { settings, type Values } from './settings.ts';

/* Settings that make sense together only. Each of them may be undefined here, where its own problem has been named. */

/** What one node needs of the others. */
export function clusterProblems({
  REDIS_URL,
  DATABASE_URL,
  SECRET_KEY,
  ROLES,
  HOST,
  CLUSTER_HOST,
}: Partial<Values>): string[] {
  const has = { REDIS_URL, DATABASE_URL, SECRET_KEY };
  const isSingleNode = REDIS_URL === undefined;
  if (isSingleNode && (ROLES?.length ?? 0) === allRoles.length) return [];
  const why = isSingleNode
    ? 'a node without all of the ROLES shares one'
    : 'nodes that share a REDIS_URL share one';
  const missing = Object.entries(has).filter(([, value]) => value === undefined);
  return [
    ...missing.map(([name]) => `${name}: ${why}`),
    ...(!CLUSTER_HOST && (HOST === '0.0.0.0' || HOST === '::')
      ? ['CLUSTER_HOST: HOST is every address; say at which one other nodes reach this one']
      : []),
  ];
}

/** Any of them may be undefined, where its own problem has been named. */
export function portProblems({
  PORT,
  MEDIA_PORT,
  MEDIA_WORKERS,
  CLUSTER_PORT,
  PIPE_PORTS,
  RTMP_PORT,
  REDIS_URL,
}: Partial<Values>): string[] {
  if (PORT === undefined || MEDIA_PORT === undefined || MEDIA_WORKERS === undefined) return [];
  const last = MEDIA_PORT + MEDIA_WORKERS - 1;
  // UDP, as the workers' ports are; PORT and CLUSTER_PORT are TCP.
  if (PIPE_PORTS && PIPE_PORTS.min <= last && PIPE_PORTS.max >= MEDIA_PORT)
    return [`PIPE_PORTS: the media workers need ports ${MEDIA_PORT} to ${last}, and these overlap`];
  if (last > 65_535)
    return [`MEDIA_PORT: ${MEDIA_WORKERS} media workers need ports up to ${last}, and there are 65535`];
  if (PORT >= MEDIA_PORT && PORT <= last)
    return [`MEDIA_PORT: the media workers need ports ${MEDIA_PORT} to ${last}, and PORT is one of them`];
  if (RTMP_PORT !== undefined && (RTMP_PORT === PORT || (RTMP_PORT >= MEDIA_PORT && RTMP_PORT <= last)))
    return [`RTMP_PORT: PORT or a media worker needs port ${RTMP_PORT}`];
  const isTaken =
    CLUSTER_PORT === PORT ||
    (CLUSTER_PORT !== undefined && CLUSTER_PORT >= MEDIA_PORT && CLUSTER_PORT <= last);
  return REDIS_URL !== undefined && isTaken
    ? [`CLUSTER_PORT: PORT or a media worker needs port ${CLUSTER_PORT}`]
    : [];
}

/** Any of them may be undefined, where its own problem has been named. */
export function paymentProblems(values: Partial<Values>): string[] {
  const { X402_PAY_TO, X402_NETWORKS = [], CHAINS_MAINNET = [], CHAINS_TESTNET = [] } = values;
  if (!X402_PAY_TO && X402_NETWORKS.length === 0) return [];
  const problems = [];
  if (!X402_PAY_TO) problems.push('X402_PAY_TO: X402_NETWORKS needs a wallet that takes the payments');
  if (X402_NETWORKS.length === 0) problems.push('X402_NETWORKS: X402_PAY_TO needs to know where');
  if (!values.X402_FACILITATOR_URL && !values.X402_SETTLER_KEY)
    problems.push('X402_SETTLER_KEY: payments need it, or X402_FACILITATOR_URL');
  const known = new Set([...CHAINS_MAINNET, ...CHAINS_TESTNET].map(({ chainId }) => chainId));
  for (const { network, chainId } of X402_NETWORKS) {
    if (!known.has(chainId))
      problems.push(
        `X402_NETWORKS: ${network} needs an RPC in CHAINS_MAINNET or CHAINS_TESTNET, to ask what became of a payment`,
      );
  }
  return problems;
}

/** What is harmless while developing and an open door in production. */
export function productionProblems(values: Partial<Values>): string[] {
  const { SECRET_KEY = '', PUBLIC_URL, WEBHOOK_ALLOW_LOOPBACK, PUSH_ALLOW_LOOPBACK } = values;
  const problems = [];
  if (SECRET_KEY !== '' && new Set(SECRET_KEY).size < fewestCharacters)
    problems.push(
      'SECRET_KEY: it repeats too few characters to be random (openssl rand -hex 32 makes one that is)',
    );
  if (PUBLIC_URL?.startsWith('http:') && !isLoopbackUrl(PUBLIC_URL))
    problems.push('PUBLIC_URL: production needs https; let a reverse proxy end TLS');
  const switches = { WEBHOOK_ALLOW_LOOPBACK, PUSH_ALLOW_LOOPBACK };
  for (const [name, isOn] of Object.entries(switches))
    if (isOn)
      problems.push(`${name}: it lets users reach services inside this machine; unset it in production`);
  return problems;
}

/** 32 random hexadecimal digits have about 14 different ones; fewer than 10 are practically never random. */
const fewestCharacters = 10;

/** Whether an address is one of this machine's own, reachable from here only. */
export function isLoopbackUrl(url: string): boolean {
  const { hostname } = new URL(url);
  return hostname === 'localhost' || hostname === '[::1]' || hostname.startsWith('127.');
}

/** The settings of the identity provider make sense together only. */
export function providerProblems(
  { OIDC_ISSUER, OIDC_AUDIENCE, OIDC_CLIENT_ID, OIDC_JWKS_URI }: Partial<Values>,
  env: NodeJS.ProcessEnv,
  isProduction: boolean,
): string[] {
  if (!env.OIDC_ISSUER) {
    const stray = Object.keys(settings).filter((name) => name.startsWith('OIDC_') && env[name]);
    return stray.map((name) => `${name}: it needs OIDC_ISSUER`);
  }
  const problems: string[] = [];
  if (!OIDC_AUDIENCE && !OIDC_CLIENT_ID)
    problems.push(
      'OIDC_ISSUER: it needs OIDC_AUDIENCE or OIDC_CLIENT_ID, or any token of that provider would do',
    );
  for (const [name, address] of Object.entries({ OIDC_ISSUER, OIDC_JWKS_URI })) {
    if (isProduction && address?.startsWith('http:'))
      problems.push(`${name}: production takes keys over https only`);
  }
  return problems;
}

/** What a driver that was chosen can't do without. */
export function driverProblems(values: Partial<Values>): string[] {
  const needs: [chosen: boolean, driver: string, names: (keyof Values)[]][] = [
    [values.CARRIER === 'smpp', 'CARRIER=smpp', ['SMPP_URL']],
    [values.CARRIER === 'twilio', 'CARRIER=twilio', ['TWILIO_ACCOUNT_SID', 'TWILIO_AUTH_TOKEN']],
    [values.LOOKUP_DRIVER === 'twilio', 'LOOKUP_DRIVER=twilio', ['TWILIO_ACCOUNT_SID', 'TWILIO_AUTH_TOKEN']],
    [values.LEAKSEARCH_DRIVER === 'hibp', 'LEAKSEARCH_DRIVER=hibp', ['HIBP_API_KEY']],
    [values.XMPP_API_URL !== undefined, 'XMPP_API_URL', ['XMPP_DOMAIN']],
    [values.XMPP_DOMAIN !== undefined, 'XMPP_DOMAIN', ['XMPP_API_URL']],
    [values.XMPP_API_USER !== undefined, 'XMPP_API_USER', ['XMPP_API_PASSWORD']],
    [values.PUSH?.includes('fcm') ?? false, 'PUSH=fcm', ['FCM_SERVICE_ACCOUNT']],
    [
      values.PUSH?.includes('apns') ?? false,
      'PUSH=apns',
      ['APNS_KEY', 'APNS_KEY_ID', 'APNS_TEAM_ID', 'APNS_TOPIC'],
    ],
    [values.ESIM_DRIVER === 'airalo', 'ESIM_DRIVER=airalo', ['AIRALO_CLIENT_ID', 'AIRALO_CLIENT_SECRET']],
  ];
  return needs
    .filter(([chosen]) => chosen)
    .flatMap(([, driver, names]) =>
      names.filter((name) => !values[name]).map((name) => `${name}: ${driver} needs it`),
    );
}

/** A key alone transcribes nothing. */
export const transcriptionProblems = ({ TRANSCRIPTION_URL, TRANSCRIPTION_KEY }: Partial<Values>): string[] =>
  TRANSCRIPTION_KEY !== undefined && TRANSCRIPTION_URL === undefined
    ? ['TRANSCRIPTION_KEY: it needs TRANSCRIPTION_URL']
    : [];

/** A storage that is named has to be configured. */
export function fileProblems({ FILES_DRIVER, FILES_DIR, S3_BUCKET, ...rest }: Partial<Values>): string[] {
  if (FILES_DRIVER === 'folder') return [];
  const keys = ['S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'] as const;
  if (FILES_DRIVER !== 's3' && S3_BUCKET === undefined) {
    const stray = ([...keys, 'S3_ENDPOINT'] as const).filter((name) => rest[name] !== undefined);
    return stray.map((name) => `${name}: it needs S3_BUCKET`);
  }
  const missing = keys.filter((name) => rest[name] === undefined).map((name) => `${name}: S3 needs it`);
  return [
    ...(S3_BUCKET === undefined ? ['S3_BUCKET: FILES_DRIVER is s3'] : []),
    ...missing,
    ...(FILES_DIR === undefined ? [] : ['FILES_DIR: the files lie in S3']),
  ];
}

/** What a carrier needs beside its account. */
export function carrierProblems({ CARRIER, PUBLIC_URL, SMPP_CA_FILE }: Partial<Values>): string[] {
  if (CARRIER === 'twilio' && !PUBLIC_URL)
    return ['PUBLIC_URL: CARRIER=twilio needs it: Twilio calls this address'];
  if (CARRIER === 'smpp' && !isReadable(SMPP_CA_FILE)) return ['SMPP_CA_FILE: this file can’t be read'];
  return [];
}

function isReadable(path: string | undefined): boolean {
  try {
    if (path !== undefined) accessSync(path, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}
