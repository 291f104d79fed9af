import { availableParallelism } from 'node:os';
import { isIP } from 'node:net';
import { z } from 'zod';
import { walletAddress, type Address } from '../sdk/protocol/common.ts';

/** Decimal digits, and a fraction perhaps: not what else JavaScript takes for a number (0x50, 1e3, a blank). */
const number = z
  .string()
  .regex(/^\d{1,9}(\.\d{1,3})?$/, { error: 'not a number', abort: true })
  .transform(Number);
const port = number.pipe(z.int().min(1).max(65_535));
/** A provider's API: no slash at its end. */
const apiUrl = z
  .url({ protocol: /^https?$/, error: 'an http or https address' })
  .transform((text) => text.replace(/\/+$/, ''));
const seconds = number.pipe(z.number().positive().max(86_400));
const count = number.pipe(z.int().positive());
const workers = number.pipe(z.int().min(1).max(256));
const flag = z.enum(['true', 'false']).transform((text) => text === 'true');
/** As a browser writes it: lower case, no path, no standard port. */
const origin = z
  .string()
  .refine(isOrigin, {
    error: ({ input }) => `${String(input)} is no origin: http or https, a host, perhaps a port, no path`,
    abort: true,
  })
  .transform((text) => new URL(text).origin);
const items = (text: string) =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter(Boolean);
const list = z.string().transform(items);
export const allRoles = ['api', 'signaling', 'media'] as const;
export type Role = (typeof allRoles)[number];
/** `1=https://rpc.example.org,137=…` */
const chains = list.pipe(
  z.array(
    z
      .string()
      .regex(/^[1-9]\d{0,14}=https?:\/\/\S+$/, {
        error: 'a chain is its id, =, and the address of its RPC',
        abort: true,
      })
      .transform((text) => ({
        chainId: Number(text.slice(0, text.indexOf('='))),
        url: text.slice(text.indexOf('=') + 1),
      })),
  ),
);
/** Where payments are taken, and in which token: USDC unless it is named. */
export interface PaymentNetwork {
  /** CAIP-2. */
  network: `eip155:${number}`;
  chainId: number;
  token: Address | null;
}
/** `eip155:8453,eip155:31337=0x…` */
const paymentNetworks = list.pipe(
  z.array(
    z
      .string()
      .regex(/^eip155:[1-9]\d{0,14}(=0x[0-9a-fA-F]{40})?$/, {
        error: 'a network is eip155: and the chain’s id, and perhaps = and the address of a token',
        abort: true,
      })
      .transform((text): PaymentNetwork => {
        const [network = '', token] = text.split('=');
        const chainId = Number(network.slice('eip155:'.length));
        return {
          network: `eip155:${chainId}`,
          chainId,
          token: token === undefined ? null : walletAddress.parse(token.toLowerCase()),
        };
      }),
  ),
);
const privateKey = z
  .string()
  .regex(/^0x[0-9a-fA-F]{64}$/, { error: 'a private key is 0x and 64 hexadecimal digits' })
  .transform((text) => text as `0x${string}`);
const phoneNumbers = list.pipe(
  z.array(z.string().regex(/^\+[1-9]\d{6,14}$/, { error: 'a phone number is + and 7 to 15 digits (E.164)' })),
);
/** `DE,FR`, or `*` for all. */
const countries = list.pipe(
  z.array(z.string().regex(/^([A-Z]{2}|\*)$/, { error: 'a country is two capital letters; * is every one' })),
);
/** `US=2,*=10`: whole credits per segment. */
const pricesByCountry = list.pipe(
  z
    .array(
      z.string().regex(/^([A-Z]{2}|\*)=[1-9]\d{0,4}$/, {
        error: 'a price is a country (or *), =, and whole credits',
      }),
    )
    .transform((given) =>
      Object.fromEntries(
        given.map((item): [string, number] => [item.split('=')[0] ?? '', Number(item.split('=')[1])]),
      ),
    ),
);
const planSettings = z.strictObject({
  id: z.string().regex(/^[a-z0-9_-]{1,32}$/, { error: 'a plan’s id is up to 32 of a-z, 0-9, _ and -' }),
  name: z.string().min(1).max(64),
  monthlyCredits: z.int().min(0).max(100_000_000),
  price: z.string().regex(/^\d{1,6}\.\d\d$/, { error: 'a price is dollars and cents in quotes: "9.00"' }),
  leakSearches: z.int().min(0).max(1_000_000).default(0),
});
const plansInJson = z
  .string()
  .transform((text, context) => {
    try {
      return JSON.parse(text) as unknown;
    } catch {
      context.addIssue('not JSON');
      return z.NEVER;
    }
  })
  .pipe(z.array(planSettings).refine(haveOwnIds, { error: 'two plans have the same id' }));
/** Sockets are opened on it, also by the media workers, which know no names. */
const listenAddress = z
  .string()
  .transform((text) => (text === 'localhost' ? '127.0.0.1' : text))
  .refine((text) => isIP(text) !== 0, { error: 'an IP address of this machine' });
/** What Express takes for `trust proxy`. */
const trustedProxies = z
  .string()
  .refine((text) => /^\d{1,2}$/.test(text) || items(text).every(isNetwork), {
    error: 'a number of proxies, or addresses and networks by commas (10.0.0.0/8, loopback)',
    abort: true,
  })
  .transform((text) => (/^\d+$/.test(text) ? Number(text) : items(text)));

function haveOwnIds(plans: { id: string }[]): boolean {
  return new Set(plans.map(({ id }) => id)).size === plans.length;
}

function isOrigin(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password, pathname, search, hash } = new URL(text);
  return /^https?:$/.test(protocol) && `${username}${password}${search}${hash}` === '' && pathname === '/';
}

function isNetwork(text: string): boolean {
  if (['loopback', 'linklocal', 'uniquelocal'].includes(text)) return true;
  const [address = '', prefix, ...more] = text.split('/');
  const version = isIP(address);
  if (version === 0 || more.length > 0) return false;
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= (version === 4 ? 32 : 128));
}

/** What jsonwebtoken verifies with a public key. None that takes a shared secret, and not `none`. */
const asymmetricAlgorithm = z.enum([
  ...(['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512'] as const),
]);
const webAddress = z.url({ protocol: /^https?$/, error: 'an http or https address' }).max(2_048);

interface Setting<Schema extends z.ZodType> {
  schema: Schema;
  /** As it would stand in the environment. */
  default?: string;
  help: string;
}

const setting = <Schema extends z.ZodType>(
  schema: Schema,
  help: string,
  byDefault?: string,
): Setting<Schema> => ({
  schema,
  help,
  ...(byDefault === undefined ? {} : { default: byDefault }),
});

const defaultDataDir = process.getuid?.() === 0 ? '/var/lib/parley' : './data';

/** Every setting: the environment variable, what it may be, what it is when it is not set. */
export const settings = {
  PORT: setting(port, 'where HTTP and WebSocket are served', '3000'),
  HOST: setting(listenAddress, 'the address to listen on; 0.0.0.0 for all', '127.0.0.1'),
  PUBLIC_URL: setting(origin.optional(), 'the address users open; needed in production'),
  DATA_DIR: setting(z.string().min(1), 'where the database, files and keys lie', defaultDataDir),
  DATABASE_URL: setting(
    z.url({ protocol: /^postgres(ql)?$/ }).optional(),
    'a PostgreSQL to use in place of the embedded one (postgres://…)',
  ),
  REDIS_URL: setting(
    z.url({ protocol: /^rediss?$/ }).optional(),
    'a Redis that several nodes share (redis://…); each also needs the same DATABASE_URL and SECRET_KEY',
  ),
  ROLES: setting(
    list.pipe(z.array(z.enum(allRoles)).min(1)).transform((roles) => [...new Set(roles)]),
    'what this node does, by commas: api, signaling, media',
    allRoles.join(','),
  ),
  CLUSTER_HOST: setting(
    z.string().min(1).optional(),
    'the address other nodes reach this one at, in a private network (HOST)',
  ),
  CLUSTER_PORT: setting(port, 'the port other nodes reach this one at', '3900'),
  DRAIN_SECONDS: setting(
    seconds,
    'how long a node that is told to stop waits for its rooms to go to others, at most',
    '15',
  ),
  SECRET_KEY: setting(
    z.string().min(32).optional(),
    'what all signing keys are derived from, at least 32 characters; generated once in DATA_DIR; needed in production',
  ),
  ALLOWED_ORIGINS: setting(
    list.pipe(z.array(origin)),
    'further origins whose pages may use this server, by commas',
    '',
  ),
  TRUST_PROXY: setting(
    trustedProxies,
    'how many proxies in front are believed, or their addresses by commas',
    '0',
  ),
  MEDIA_PORT: setting(
    port,
    "the first media worker's port, UDP and TCP; the next worker has the next",
    '20000',
  ),
  MEDIA_WORKERS: setting(workers, 'media workers, each with a core', String(availableParallelism())),
  MEDIA_ANNOUNCED_ADDRESS: setting(
    list,
    'the addresses media clients are told, by commas, where they are not the one listened on: behind a NAT',
    '',
  ),
  MEDIA_NETWORK_MBIT: setting(
    count,
    'what the network of this node carries in one direction; rooms are placed by it',
    '1000',
  ),
  CHAINS_MAINNET: setting(
    chains,
    'EVM chains by id and RPC address, by commas (1=https://…,137=https://…): for contract wallets',
    '',
  ),
  CHAINS_TESTNET: setting(chains, 'the same for the test network (11155111=https://…)', ''),
  TURN_URLS: setting(
    list.pipe(z.array(z.string().regex(/^turns?:/, { error: 'turn: or turns: addresses' }))),
    'TURN servers for clients behind strict firewalls, by commas (turn:turn.example.org:3478?transport=tcp)',
    '',
  ),
  TURN_SECRET: setting(
    z.string().min(1).optional(),
    "the secret shared with the TURN servers (coturn's static-auth-secret)",
  ),
  TURN_TTL_SECONDS: setting(seconds, 'how long TURN credentials hold', '43200'),
  MEDIASOUP_WORKER_BIN: setting(
    z.string().min(1).optional(),
    'a mediasoup-worker to run in place of the one from set-up',
  ),
  CALL_RING_SECONDS: setting(seconds, 'how long a call rings', '30'),
  CALL_GRACE_SECONDS: setting(seconds, "how long a party's device may be away before its call ends", '20'),
  RATE_LIMIT_REALTIME: setting(count, 'requests per realtime connection and 10 s', '200'),
  RATE_LIMIT_CALLS: setting(count, 'calls a wallet may start in a minute', '60'),
  RATE_LIMIT_CALLED: setting(count, 'calls that may ring at a wallet in a minute', '120'),
  RATE_LIMIT_AUTH: setting(count, 'sign-in requests per IP address and minute', '300'),
  RATE_LIMIT_READS: setting(count, 'HTTP reads per key or account and minute', '600'),
  RATE_LIMIT_WRITES: setting(count, 'HTTP writes per key or account and minute', '60'),
  RATE_LIMIT_LEAKSEARCH: setting(count, 'breach searches per key or account and minute', '10'),
  REQUEST_LEASE_SECONDS: setting(
    seconds,
    'how long the credits and the Idempotency-Key of a request outlive its process, when that is killed',
    '60',
  ),
  SIGNUP_CREDITS: setting(
    number.pipe(z.int()).optional(),
    'credits an account begins with: 500, in production 0, unless set',
  ),
  PLANS: setting(
    plansInJson,
    'the plans there are, as JSON: [{"id","name","monthlyCredits","price","leakSearches"}]',
    '[]',
  ),
  X402_PAY_TO: setting(
    walletAddress.optional(),
    'the wallet that takes payments per request (x402); with X402_NETWORKS these are offered',
  ),
  X402_NETWORKS: setting(
    paymentNetworks,
    'where they are taken, by commas (eip155:8453); in USDC, or in a token with six decimals (eip155:8453=0x…)',
    '',
  ),
  X402_FACILITATOR_URL: setting(
    z.url({ protocol: /^https?$/ }).optional(),
    'the x402 facilitator that settles payments; without it, this server does',
  ),
  X402_SETTLER_KEY: setting(
    privateKey.optional(),
    'the private key this server settles with: it pays the gas, and takes no money',
  ),
  OPERATOR_WALLETS: setting(
    list.pipe(z.array(walletAddress)),
    'wallets whose dashboard sessions see the whole installation: its payments',
    '',
  ),
  CARRIER: setting(
    z.enum(['loopback']),
    'who carries texts and sells numbers: loopback stays within this installation',
    'loopback',
  ),
  SMS_POOL_NUMBERS: setting(
    phoneNumbers,
    'the numbers texts go out from that come from no number of the account’s own, by commas; loopback brings some',
    '',
  ),
  SMS_COUNTRIES: setting(
    countries,
    'the countries that may be texted, by commas; * for all: pumped traffic is the first fraud such a service sees',
    'US,CA,GB,GG,JE,IM,IE,DE,AT,CH,FR,BE,NL,LU,ES,PT,IT,DK,SE,NO,FI,PL,CZ,AU,NZ,JP',
  ),
  SMS_PRICES: setting(
    pricesByCountry,
    'what a segment costs by country, where the built-in table is not to be followed (US=2,DE=10,*=15)',
    '',
  ),
  SMS_SUBMIT_SECONDS: setting(
    seconds,
    'how long the carrier may take to accept a text or sell a number, before its outcome is unknown',
    '20',
  ),
  NUMBER_GRACE_DAYS: setting(
    count,
    'how long an expired number can still be renewed, before it is given back',
    '14',
  ),
  STRIPE_SECRET_KEY: setting(
    z
      .string()
      .regex(/^(sk|rk)_(live|test)_\w+$/, { error: 'a secret or restricted key of Stripe: sk_… or rk_…' })
      .optional(),
    'takes payments for credits and plans by Stripe',
  ),
  STRIPE_WEBHOOK_SECRET: setting(
    z
      .string()
      .regex(/^whsec_\S+$/, { error: 'the signing secret of a webhook endpoint: whsec_…' })
      .optional(),
    'the secret of the webhook endpoint at Stripe, which is PUBLIC_URL/api/v1/stripe/webhook',
  ),
  STRIPE_API_BASE: setting(origin.optional(), 'where Stripe’s API is, if not at Stripe: for tests'),
  OIDC_ISSUER: setting(
    webAddress.optional(),
    "the issuer of an outside identity provider (OpenID Connect), as its tokens' iss has it",
  ),
  OIDC_AUDIENCE: setting(
    z.string().min(1).max(255).optional(),
    'what aud of its tokens must name; OIDC_CLIENT_ID where not set',
  ),
  OIDC_CLIENT_ID: setting(
    z.string().min(1).max(255).optional(),
    "the console's public client at the provider (authorization code with PKCE); without it the console offers no sign-in",
  ),
  OIDC_NAME: setting(
    z.string().min(1).max(64),
    'what the sign-in button calls the provider',
    'single sign-on',
  ),
  OIDC_SCOPE: setting(z.string().min(1).max(255), 'what the console asks the provider for', 'openid email'),
  OIDC_JWKS_URI: setting(
    webAddress.optional(),
    "where the provider's keys are, if its discovery document is not to be asked",
  ),
  OIDC_ALGORITHMS: setting(
    list.pipe(z.array(asymmetricAlgorithm).min(1)),
    'the signatures that are accepted, by commas',
    'RS256,PS256,ES256',
  ),
  OIDC_ORIGINS: setting(
    list.pipe(z.array(origin)),
    "further origins of the provider that the console's page talks to, by commas",
    '',
  ),
  OIDC_KEYS_SECONDS: setting(seconds, "how long the provider's keys are kept", '600'),
  OIDC_COOLDOWN_SECONDS: setting(
    seconds,
    "how long the provider's keys are not asked for again, whatever key a token names",
    '30',
  ),
  LOOKUP_DRIVER: setting(
    z.enum(['embedded', 'twilio']),
    'who says what a number is: embedded knows the numbering plans, twilio asks Twilio Lookup',
    'embedded',
  ),
  TWILIO_ACCOUNT_SID: setting(z.string().min(1).optional(), 'the Twilio account'),
  TWILIO_AUTH_TOKEN: setting(z.string().min(1).optional(), 'its secret'),
  TWILIO_LOOKUP_URL: setting(apiUrl, "where Twilio's Lookup is", 'https://lookups.twilio.com'),
  LEAKSEARCH_DRIVER: setting(
    z.enum(['local', 'hibp']),
    'where breaches are searched: local has what npm run import:leaks brought, hibp asks Have I Been Pwned',
    'local',
  ),
  LEAKSEARCH_FREE_SEARCHES: setting(
    number.pipe(z.int()).optional(),
    'breach searches a month for accounts without a plan: 10, in production 0, unless set',
  ),
  HIBP_API_KEY: setting(z.string().min(1).optional(), 'the key of a Have I Been Pwned subscription'),
  HIBP_URL: setting(apiUrl, 'where Have I Been Pwned is', 'https://haveibeenpwned.com/api/v3'),
  HIBP_PASSWORDS_URL: setting(apiUrl, 'where Pwned Passwords is', 'https://api.pwnedpasswords.com'),
  ESIM_DRIVER: setting(
    z.enum(['loopback', 'airalo']),
    'who sells eSIMs: loopback has a catalogue for trying things, airalo real ones',
    'loopback',
  ),
  ESIM_MARKUP_PERCENT: setting(number, 'what is added to the provider’s retail price', '0'),
  ESIM_SETTLE_SECONDS: setting(
    seconds,
    'how long an eSIM order whose outcome is unknown may still turn up at the provider, before its credits go back',
    '180',
  ),
  AIRALO_CLIENT_ID: setting(z.string().min(1).optional(), 'the Airalo partner account'),
  AIRALO_CLIENT_SECRET: setting(z.string().min(1).optional(), 'its secret'),
  AIRALO_URL: setting(apiUrl, "where Airalo's partner API is", 'https://partners-api.airalo.com'),
  XMPP_API_URL: setting(
    apiUrl.optional(),
    "where ejabberd's mod_http_api is (http://127.0.0.1:5280/api); without it there are no XMPP accounts",
  ),
  XMPP_API_USER: setting(z.string().min(3).optional(), 'an administrator there, as a whole JID, if it asks'),
  XMPP_API_PASSWORD: setting(z.string().min(1).optional(), "the administrator's password"),
  XMPP_DOMAIN: setting(z.string().min(1).optional(), 'what comes after the @ of accounts that are made'),
  XMPP_HOST: setting(z.string().min(1).optional(), 'where clients connect, if that is not the domain'),
  XMPP_WEBSOCKET_URL: setting(z.url({ protocol: /^wss?$/ }).optional(), 'where browsers connect (wss://…)'),
  XMPP_SMS_GATEWAY: setting(z.string().min(1).optional(), 'the JID of a gateway to SMS, if there is one'),
  LOG_LEVEL: setting(
    z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']),
    'how much is logged',
    'info',
  ),
  LOG_PRETTY: setting(flag, 'logs for people instead of JSON lines', String(process.stdout.isTTY === true)),
  NODE_ENV: setting(
    z.enum(['development', 'production', 'test']),
    'production demands its secrets',
    'development',
  ),
};

type Settings = typeof settings;
type Values = { [Name in keyof Settings]: z.output<Settings[Name]['schema']> };

export interface Config extends Values {
  isProduction: boolean;
  /** `--https`: a self-signed certificate, for phones on the same network. */
  https: boolean;
  /** `--demo-chain`: a chain of its own, to try payments per request. */
  demoChain: boolean;
}

/** Everything that is wrong with the environment, in one message. */
export class ConfigError extends Error {
  constructor(problems: string[]) {
    super(
      `The configuration is not valid:\n${problems.map((problem) => `  - ${problem}`).join('\n')}\nnpm start -- --help lists every setting.`,
    );
    this.name = 'ConfigError';
  }
}

/** @throws ConfigError with all problems at once */
export function readConfig(
  env: NodeJS.ProcessEnv,
  flags: { https?: boolean; demoChain?: boolean } = {},
): Config {
  const problems: string[] = [];
  const values = Object.fromEntries(
    Object.entries(settings).map(([name, { schema, default: byDefault }]: [string, Setting<z.ZodType>]) => {
      // An empty variable is one that is not set: that is how shells and compose files write it.
      const parsed = z.safeParse(schema, env[name] === '' ? byDefault : (env[name] ?? byDefault));
      if (!parsed.success)
        problems.push(`${name}: ${parsed.error.issues.map((issue) => issue.message).join('; ')}`);
      return [name, parsed.data];
    }),
  ) as Values;
  const isProduction = values.NODE_ENV === 'production';
  if (isProduction && !env.SECRET_KEY)
    problems.push('SECRET_KEY: production needs one (openssl rand -hex 32 makes one)');
  if ((values.TURN_URLS?.length ?? 0) > 0 && !values.TURN_SECRET)
    problems.push('TURN_SECRET: TURN_URLS needs it');
  if (isProduction && !env.PUBLIC_URL) problems.push('PUBLIC_URL: production needs the address users open');
  const { https = false, demoChain = false } = flags;
  problems.push(
    ...clusterProblems(values),
    ...portProblems(values),
    ...paymentProblems(values),
    ...driverProblems(values),
  );
  if (demoChain && isProduction)
    problems.push('--demo-chain: not in production, its keys are known to everybody');
  if (demoChain && (env.X402_PAY_TO || env.X402_NETWORKS))
    problems.push('--demo-chain: it brings its own X402 settings, unset X402_PAY_TO and X402_NETWORKS');
  const { STRIPE_SECRET_KEY: stripeKey, STRIPE_WEBHOOK_SECRET: stripeSecret } = values;
  if (
    Boolean(stripeKey) !== Boolean(stripeSecret) &&
    Boolean(env.STRIPE_SECRET_KEY) !== Boolean(env.STRIPE_WEBHOOK_SECRET)
  )
    problems.push(
      'STRIPE_SECRET_KEY and STRIPE_WEBHOOK_SECRET: each needs the other, or money comes and credits do not',
    );
  problems.push(...providerProblems(values, env, isProduction));
  if (problems.length > 0) throw new ConfigError(problems);
  // Without a word on the address, --https is for the phones on this network.
  const HOST = https && !env.HOST ? '0.0.0.0' : values.HOST;
  return { ...values, HOST, isProduction, https, demoChain };
}

/** What one node needs of the others. */
function clusterProblems({
  REDIS_URL,
  DATABASE_URL,
  SECRET_KEY,
  ROLES,
  HOST,
  CLUSTER_HOST,
}: Partial<Values>): string[] {
  const has = { REDIS_URL, DATABASE_URL, SECRET_KEY };
  const isAlone = REDIS_URL === undefined;
  if (isAlone && (ROLES?.length ?? 0) === allRoles.length) return [];
  const why = isAlone
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
function portProblems({
  PORT,
  MEDIA_PORT,
  MEDIA_WORKERS,
  CLUSTER_PORT,
  REDIS_URL,
}: Partial<Values>): string[] {
  if (PORT === undefined || MEDIA_PORT === undefined || MEDIA_WORKERS === undefined) return [];
  const last = MEDIA_PORT + MEDIA_WORKERS - 1;
  if (last > 65_535)
    return [`MEDIA_PORT: ${MEDIA_WORKERS} media workers need ports up to ${last}, and there are 65535`];
  if (PORT >= MEDIA_PORT && PORT <= last)
    return [`MEDIA_PORT: the media workers need ports ${MEDIA_PORT} to ${last}, and PORT is one of them`];
  const isTaken =
    CLUSTER_PORT === PORT ||
    (CLUSTER_PORT !== undefined && CLUSTER_PORT >= MEDIA_PORT && CLUSTER_PORT <= last);
  return REDIS_URL !== undefined && isTaken
    ? [`CLUSTER_PORT: PORT or a media worker needs port ${CLUSTER_PORT}`]
    : [];
}

/** Any of them may be undefined, where its own problem has been named. */
function paymentProblems(values: Partial<Values>): string[] {
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

/** The settings of the identity provider make sense together only. */
function providerProblems(
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
function driverProblems(values: Partial<Values>): string[] {
  const needs: [chosen: boolean, driver: string, names: (keyof Values)[]][] = [
    [values.LOOKUP_DRIVER === 'twilio', 'LOOKUP_DRIVER=twilio', ['TWILIO_ACCOUNT_SID', 'TWILIO_AUTH_TOKEN']],
    [values.LEAKSEARCH_DRIVER === 'hibp', 'LEAKSEARCH_DRIVER=hibp', ['HIBP_API_KEY']],
    [values.XMPP_API_URL !== undefined, 'XMPP_API_URL', ['XMPP_DOMAIN']],
    [values.XMPP_DOMAIN !== undefined, 'XMPP_DOMAIN', ['XMPP_API_URL']],
    [values.XMPP_API_USER !== undefined, 'XMPP_API_USER', ['XMPP_API_PASSWORD']],
    [values.ESIM_DRIVER === 'airalo', 'ESIM_DRIVER=airalo', ['AIRALO_CLIENT_ID', 'AIRALO_CLIENT_SECRET']],
  ];
  return needs
    .filter(([chosen]) => chosen)
    .flatMap(([, driver, names]) =>
      names.filter((name) => !values[name]).map((name) => `${name}: ${driver} needs it`),
    );
}

export function helpText(): string {
  const rows = Object.entries(settings).map(
    ([name, { help, default: byDefault }]: [string, Setting<z.ZodType>]) => {
      const shown = byDefault === undefined || byDefault === '' ? '' : ` (${byDefault})`;
      return `  ${name.padEnd(24)} ${help}${shown}`;
    },
  );
  return `Parley: calls, conferences, streams and messages between wallets.

  npm start                 runs the server
  npm start -- --https      serves with a self-signed certificate, for phones on the same network
  npm start -- --demo-chain takes payments per request (x402) on a chain of its own, with play money
  npm start -- --help       shows this

Settings are environment variables (the default in brackets):
${rows.join('\n')}
`;
}
