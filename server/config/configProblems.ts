import { allRoles } from '../../platform/node/roles.ts';
import { settings, type Values } from './settings.ts';
import { isEveryAddress } from './isEveryAddress.ts';
import { isReadable } from './isReadable.ts';

/**
 * Finds the problems of settings that depend on each other. A setting is also undefined here if its own value was invalid; that problem has
 * then already been reported.
 */
export function problemsIn(values: Partial<Values>, env: NodeJS.ProcessEnv, isProduction: boolean): string[] {
  return [
    ...(isProduction ? productionProblems(values) : []),
    ...clusterProblems(values),
    ...linkProblems(values),
    ...portProblems(values),
    ...paymentProblems(values),
    ...driverProblems(values),
    ...carrierProblems(values),
    ...fileProblems(values),
    ...transcriptionProblems(values),
    ...providerProblems(values, env, isProduction),
  ];
}

/** Finds settings that a cluster node requires and that are missing. */
function clusterProblems({
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
    ? 'required on a node that has only some of the ROLES. Set the same value on all nodes'
    : 'required with REDIS_URL. Set the same value on all nodes';
  const missing = Object.entries(has).filter(([, value]) => value === undefined);
  return [
    ...missing.map(([name]) => `${name}: ${why}`),
    ...(isEveryAddress(CLUSTER_HOST ?? HOST)
      ? [
          `CLUSTER_HOST: ${CLUSTER_HOST ?? 'required, because HOST'} means all addresses. Set the address at which other nodes reach this one`,
        ]
      : []),
  ];
}

/** Checks the settings that belong to REDIS_URL and SECRET_KEY. */
function linkProblems({
  REDIS_URL,
  REDIS_CA_FILE,
  SECRET_KEY,
  SECRET_KEY_PREVIOUS,
}: Partial<Values>): string[] {
  return [
    ...(REDIS_CA_FILE !== undefined && !REDIS_URL?.startsWith('rediss:')
      ? ['REDIS_CA_FILE: only used with TLS. Set REDIS_URL to rediss://…, or unset this']
      : []),
    ...(REDIS_CA_FILE !== undefined && !isReadable(REDIS_CA_FILE)
      ? ['REDIS_CA_FILE: this file cannot be read']
      : []),
    ...(SECRET_KEY_PREVIOUS !== undefined && (SECRET_KEY === undefined || SECRET_KEY === SECRET_KEY_PREVIOUS)
      ? ['SECRET_KEY_PREVIOUS: set SECRET_KEY to the new key, and this to the key before it']
      : []),
  ];
}

/** Finds ports that are used twice or do not exist. */
function portProblems({
  PORT,
  MEDIA_PORT,
  MEDIA_WORKERS,
  CLUSTER_PORT,
  PIPE_PORTS,
  RTMP_PORT,
  METRICS_PORT,
  REDIS_URL,
}: Partial<Values>): string[] {
  if (PORT === undefined || MEDIA_PORT === undefined || MEDIA_WORKERS === undefined) return [];
  const last = MEDIA_PORT + MEDIA_WORKERS - 1;
  const ofWorkers = (port: number) => port >= MEDIA_PORT && port <= last;
  const isTaken = (port: number | undefined, by: (number | undefined)[]) =>
    port !== undefined && (by.includes(port) || ofWorkers(port));
  const clusterPort = REDIS_URL === undefined ? undefined : CLUSTER_PORT;
  const workers = `MEDIA_PORT: ${MEDIA_WORKERS} media workers need ports ${MEDIA_PORT} to ${last}`;
  return [
    // Pipes use UDP, so they conflict with the workers' ports, but not with PORT and CLUSTER_PORT, which are TCP.
    ...(PIPE_PORTS && PIPE_PORTS.min <= last && PIPE_PORTS.max >= MEDIA_PORT
      ? [`PIPE_PORTS: overlaps ports ${MEDIA_PORT} to ${last} of the media workers. Choose another range`]
      : []),
    ...(last > 65_535 ? [`${workers}, above 65535. Choose a lower port`] : []),
    ...(ofWorkers(PORT) ? [`${workers}, which include PORT. Choose another port`] : []),
    ...(isTaken(RTMP_PORT, [PORT])
      ? [`RTMP_PORT: port ${RTMP_PORT} is used by PORT or a media worker. Choose another port`]
      : []),
    ...(isTaken(clusterPort, [PORT, RTMP_PORT])
      ? [
          `CLUSTER_PORT: port ${clusterPort} is used by PORT, RTMP_PORT or a media worker. Choose another port`,
        ]
      : []),
    ...(isTaken(METRICS_PORT, [PORT, RTMP_PORT, clusterPort])
      ? [
          `METRICS_PORT: port ${METRICS_PORT} is used by PORT, RTMP_PORT, CLUSTER_PORT or a media worker. Choose another port`,
        ]
      : []),
  ];
}

/** Finds settings that payments per request (x402) require and that are missing. */
function paymentProblems(values: Partial<Values>): string[] {
  const { X402_PAY_TO, X402_NETWORKS = [], CHAINS_MAINNET = [], CHAINS_TESTNET = [] } = values;
  if (!X402_PAY_TO && X402_NETWORKS.length === 0) return [];
  const problems = [];
  if (!X402_PAY_TO)
    problems.push('X402_PAY_TO: required by X402_NETWORKS. Set the wallet that receives the payments');
  if (X402_NETWORKS.length === 0)
    problems.push('X402_NETWORKS: required by X402_PAY_TO. Set the networks on which payments are accepted');
  if (!values.X402_FACILITATOR_URL && !values.X402_SETTLER_KEY)
    problems.push('X402_SETTLER_KEY: payments need this key or X402_FACILITATOR_URL');
  const known = new Set([...CHAINS_MAINNET, ...CHAINS_TESTNET].map(({ chainId }) => chainId));
  for (const { network, chainId } of X402_NETWORKS) {
    if (!known.has(chainId))
      problems.push(
        `X402_NETWORKS: ${network} needs an RPC in CHAINS_MAINNET or CHAINS_TESTNET, to verify payments`,
      );
  }
  return problems;
}

/** Finds values that are harmless in development and unsafe in production. */
function productionProblems(values: Partial<Values>): string[] {
  const { SECRET_KEY = '', PUBLIC_URL, WEBHOOK_ALLOW_LOOPBACK, PUSH_ALLOW_LOOPBACK } = values;
  const problems = [];
  if (SECRET_KEY !== '' && new Set(SECRET_KEY).size < fewestCharacters)
    problems.push(
      'SECRET_KEY: has too few different characters to be random. Generate one with: openssl rand -hex 32',
    );
  if (PUBLIC_URL?.startsWith('http:') && !isLoopbackUrl(PUBLIC_URL))
    problems.push('PUBLIC_URL: production needs https. Terminate TLS at a reverse proxy');
  const switches = { WEBHOOK_ALLOW_LOOPBACK, PUSH_ALLOW_LOOPBACK };
  for (const [name, isOn] of Object.entries(switches))
    if (isOn)
      problems.push(`${name}: lets users reach local services of this machine. Unset it in production`);
  return problems;
}

/**
 * The minimum number of different characters in SECRET_KEY. 32 random hexadecimal digits contain about 14 different ones, and practically
 * never fewer than 10.
 */
const fewestCharacters = 10;

/** Whether the host of a URL is a loopback address of this machine. */
export function isLoopbackUrl(url: string): boolean {
  const { hostname } = new URL(url);
  return hostname === 'localhost' || hostname === '[::1]' || hostname.startsWith('127.');
}

/** Finds settings of an outside identity provider that are missing, have no use, or are unsafe in production. */
function providerProblems(
  { OIDC_ISSUER, OIDC_AUDIENCE, OIDC_CLIENT_ID, OIDC_JWKS_URI }: Partial<Values>,
  env: NodeJS.ProcessEnv,
  isProduction: boolean,
): string[] {
  if (!env.OIDC_ISSUER) {
    const stray = Object.keys(settings).filter((name) => name.startsWith('OIDC_') && env[name]);
    return stray.map((name) => `${name}: requires OIDC_ISSUER`);
  }
  const problems: string[] = [];
  if (!OIDC_AUDIENCE && !OIDC_CLIENT_ID)
    problems.push(
      'OIDC_ISSUER: requires OIDC_AUDIENCE or OIDC_CLIENT_ID. Otherwise any token of the provider would be accepted',
    );
  for (const [name, address] of Object.entries({ OIDC_ISSUER, OIDC_JWKS_URI })) {
    if (isProduction && address?.startsWith('http:')) problems.push(`${name}: production requires https`);
  }
  return problems;
}

/** Finds settings that a chosen driver requires and that are missing. */
function driverProblems(values: Partial<Values>): string[] {
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
      names.filter((name) => !values[name]).map((name) => `${name}: ${driver} requires it`),
    );
}

/** Finds a transcription key without the URL of the transcription server. */
const transcriptionProblems = ({ TRANSCRIPTION_URL, TRANSCRIPTION_KEY }: Partial<Values>): string[] =>
  TRANSCRIPTION_KEY !== undefined && TRANSCRIPTION_URL === undefined
    ? ['TRANSCRIPTION_KEY: requires TRANSCRIPTION_URL']
    : [];

/** Finds settings that the chosen file storage requires and that are missing, and settings that it does not use. */
function fileProblems({ FILES_DRIVER, FILES_DIR, S3_BUCKET, ...rest }: Partial<Values>): string[] {
  if (FILES_DRIVER === 'folder') return [];
  const keys = ['S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'] as const;
  if (FILES_DRIVER !== 's3' && S3_BUCKET === undefined) {
    const stray = ([...keys, 'S3_ENDPOINT'] as const).filter((name) => rest[name] !== undefined);
    return stray.map((name) => `${name}: requires S3_BUCKET`);
  }
  const missing = keys
    .filter((name) => rest[name] === undefined)
    .map((name) => `${name}: required for files in S3`);
  return [
    ...(S3_BUCKET === undefined ? ['S3_BUCKET: required by FILES_DRIVER=s3'] : []),
    ...missing,
    ...(FILES_DIR === undefined ? [] : ['FILES_DIR: not used, because files are stored in S3. Unset it']),
  ];
}

/** Checks the settings that a carrier requires besides those of its account. */
function carrierProblems({ CARRIER, PUBLIC_URL, SMPP_CA_FILE }: Partial<Values>): string[] {
  if (CARRIER === 'twilio' && !PUBLIC_URL)
    return ['PUBLIC_URL: CARRIER=twilio requires it, because Twilio sends requests to this address'];
  if (CARRIER === 'smpp' && SMPP_CA_FILE !== undefined && !isReadable(SMPP_CA_FILE))
    return ['SMPP_CA_FILE: this file cannot be read'];
  return [];
}
