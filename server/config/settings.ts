import { availableParallelism } from 'node:os';
import { z } from 'zod';
import { evmAddress, walletAddress } from '../../sdk/protocol/common.ts';
import {
  smscUrl,
  delays,
  apiUrl,
  apnsKey,
  asymmetricAlgorithm,
  chains,
  count,
  countries,
  flag,
  list,
  listenAddress,
  number,
  allowedOrigin,
  origin,
  paymentNetworks,
  phoneNumbers,
  plansInJson,
  port,
  portRange,
  pricesByCountry,
  privateKey,
  seconds,
  serviceAccount,
  trustedProxies,
  webAddress,
  workers,
} from './settingKinds.ts';
import { allRoles } from '../../platform/node/roles.ts';

export interface Setting<Schema extends z.ZodType> {
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
    list.pipe(z.array(allowedOrigin)),
    'further origins that may use this server, by commas: of pages (https://app.example.org) and app shells (capacitor://localhost); null for sandboxed pages and local files; in development pages of this machine need no entry',
    '',
  ),
  SECURITY_CONTACT: setting(
    z
      .string()
      .regex(/^(mailto:[^\s@]+@[^\s@]+|https:\/\/\S+)$/, {
        error: 'an address of the form mailto:… or https://…',
      })
      .optional(),
    'where people report security problems of this installation (mailto:…); served as /.well-known/security.txt',
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
  MEDIA_WORKER_CONSUMERS: setting(
    count,
    'streams a media worker sends before a large conference goes on to the next worker, or to the next node',
    '400',
  ),
  PIPE_PORTS: setting(
    portRange,
    'UDP ports for media between workers and, at CLUSTER_HOST, between nodes: first-last',
    '19000-19999',
  ),
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
  RTMP_PORT: setting(
    number.pipe(z.int().min(0).max(65_535)),
    'where streams are published by RTMP, at HOST; 0 for nowhere',
    '1935',
  ),
  RTMP_CONNECTIONS_PER_NETWORK: setting(
    count,
    'RTMP connections to this node from one network (an IPv4 address, a /64 of IPv6), of 1,000 in all; more behind a proxy, whose address all publishers share',
    '100',
  ),
  STREAM_TRANSCODES: setting(
    number.pipe(z.int().min(0).max(256)),
    'pictures of streams this node encodes anew at a time, each with about a core',
    String(availableParallelism()),
  ),
  FFMPEG_PROCESSES: setting(
    count,
    'ffmpegs of this node that run on at a time, some 40 MB each: for publishers by RTMP, HLS, and films of recordings',
    '200',
  ),
  FFMPEG_PROCESSES_PER_WALLET: setting(
    count,
    'how many of these are for the streams and recordings of one wallet; of STREAM_TRANSCODES it has half at most',
    '60',
  ),
  HLS_IDLE_SECONDS: setting(seconds, 'how long HLS of a stream is made that nobody fetches', '30'),
  RECORDING_MAX_SECONDS: setting(seconds, 'how long a recording may be; it ends then', '14400'),
  RECORDING_MAX_MEGABYTES: setting(count, 'how large a recording may be; it ends then', '4096'),
  RECORDING_MAX_PEOPLE: setting(
    count,
    'how many of a room are recorded at a time, each by an ffmpeg; those who come after are left out',
    '50',
  ),
  RECORDINGS_MEGABYTES_PER_WALLET: setting(
    count,
    'what the recordings of a wallet may take; further ones are refused then',
    '20480',
  ),
  RECORDING_FREE_MEGABYTES: setting(
    number.pipe(z.int().min(0)),
    'what has to be free where DATA_DIR lies; with less, recordings end and none begins',
    '1024',
  ),
  RECORDING_CHUNK_SECONDS: setting(
    seconds,
    'how often what was recorded is brought into the storage of files; what a node that is lost for good takes with it',
    '20',
  ),
  CHAINS_MAINNET: setting(
    chains,
    'EVM chains by id and RPC address, by commas (1=https://…,137=https://…): for contract wallets and gates',
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
  CALL_GRACE_SECONDS: setting(
    seconds,
    'how long a device may be away before its call ends, or its place in a room goes',
    '20',
  ),
  MAX_CONNECTIONS: setting(
    count,
    'HTTP and WebSocket connections to this node, at most; fewer where the limit of open files (ulimit -n) is low',
    '20000',
  ),
  MAX_CONNECTIONS_PER_NETWORK: setting(
    count,
    'of these, from one network (an IPv4 address, a /64 of IPv6): more for a large office behind one address; at most half of all',
    '2000',
  ),
  RATE_LIMIT_NETWORK_FACTOR: setting(
    count,
    'how often all wallets and keys of one network (an IPv4 address, a /64 of IPv6) together may do what the other limits allow each of them; ' +
      'more for an office with hundreds of active users behind one address',
    '20',
  ),
  RATE_LIMIT_REALTIME: setting(count, 'requests per realtime connection and 10 s', '200'),
  RATE_LIMIT_CALLS: setting(count, 'calls a wallet may start in a minute', '60'),
  RATE_LIMIT_CALLED: setting(
    count,
    'calls that may ring at a wallet in a minute from contacts, whom it has called, answered or written to; strangers have half as many apart from these, those of one network a quarter, and one caller a sixth',
    '120',
  ),
  GATE_RECHECK_SECONDS: setting(
    seconds,
    'how often it is looked whether those in a gated room or stream still qualify',
    '300',
  ),
  STREAM_RECONNECT_SECONDS: setting(
    seconds,
    'how long a live stream waits for its publisher to come back, before it ends',
    '60',
  ),
  RATE_LIMIT_STREAMS: setting(count, 'streams a wallet may create in a minute', '30'),
  RATE_LIMIT_WHIP: setting(
    count,
    'times an IP address may begin to publish a stream by WHIP in a minute',
    '60',
  ),
  RATE_LIMIT_WHEP: setting(
    count,
    'times an IP address may begin to watch a stream by WHEP in a minute',
    '300',
  ),
  RATE_LIMIT_HLS: setting(count, 'times an IP address may begin to watch a stream by HLS in a minute', '300'),
  RATE_LIMIT_ROOMS: setting(count, 'rooms a wallet may create in a minute', '30'),
  RATE_LIMIT_JOINS: setting(
    count,
    'times a wallet may join rooms, begin to watch streams, and join the media of calls, rooms and streams, in a minute: each counts by itself',
    '120',
  ),
  RATE_LIMIT_CHAT: setting(
    count,
    'messages a wallet may write in rooms, and beside streams, in a minute',
    '60',
  ),
  RATE_LIMIT_CHANGES: setting(
    count,
    'changes everybody in a room is told of that a wallet may make in 10 seconds: hand, microphone and camera on, lock; and what it may begin to send',
    '30',
  ),
  RATE_LIMIT_INVITES: setting(count, 'wallets a wallet may invite to rooms in a minute', '200'),
  RATE_LIMIT_INVITED: setting(
    count,
    'invitations from contacts that notify a wallet in a minute; strangers share half as many, as with RATE_LIMIT_CALLED; further invitations are valid but do not notify',
    '60',
  ),
  RATE_LIMIT_GATES: setting(count, 'checks of gates a wallet may ask for in a minute', '60'),
  RATE_LIMIT_MESSAGES: setting(
    count,
    'messages and reactions a wallet may send in a minute; a message counts as one for each 1,000 bytes of its text',
    '600',
  ),
  EVENT_DAYS: setting(
    count,
    'how long what happened to a wallet is kept for its devices that are away, in days; its messages stay',
    '30',
  ),
  RATE_LIMIT_AUTH: setting(count, 'sign-in requests per IP address and minute', '300'),
  RATE_LIMIT_READS: setting(count, 'HTTP reads per key or account and minute', '600'),
  RATE_LIMIT_WRITES: setting(count, 'HTTP writes per key or account and minute', '60'),
  RATE_LIMIT_VOICEMAIL: setting(count, 'voicemails a wallet may leave in a minute', '10'),
  RATE_LIMIT_VOICEMAILED: setting(
    count,
    'voicemails a wallet may be left in a minute by contacts; strangers have half as many, shared as with RATE_LIMIT_CALLED',
    '30',
  ),
  RATE_LIMIT_UPLOADS: setting(count, 'requests of uploads per account and minute', '600'),
  RATE_LIMIT_LEAKSEARCH: setting(count, 'breach searches per key or account and minute', '10'),
  REQUEST_LEASE_SECONDS: setting(
    seconds,
    'how long the credits and the Idempotency-Key of a request outlive its process at most, when that is killed',
    '60',
  ),
  SIGNUP_CREDITS: setting(
    number.pipe(z.int()).optional(),
    'credits an account begins with; unless set 500, and 0 in production, with a public PUBLIC_URL or HOST, and with a real carrier, eSIM, lookup or breach provider',
  ),
  PLANS: setting(
    plansInJson,
    'the plans there are, as JSON: [{"id","name","monthlyCredits","price","leakSearches"}]',
    '[]',
  ),
  X402_PAY_TO: setting(
    evmAddress.optional(),
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
  X402_MAX_FEE_GWEI: setting(
    count,
    "the most that sending one payment may cost, in billionths of the chain's coin; above it payments wait (503)",
    '1000000',
  ),
  OPERATOR_WALLETS: setting(
    list.pipe(z.array(walletAddress)),
    'wallets whose dashboard sessions see the whole installation: its payments; an address is an ordinary key, a contract wallet is eip155:<chain>:<address>',
    '',
  ),
  CARRIER: setting(
    z.enum(['loopback', 'smpp', 'twilio']),
    'who carries texts and sells numbers: loopback stays within this installation; smpp and twilio go out',
    'loopback',
  ),
  SMPP_URL: setting(
    smscUrl.optional(),
    'the SMSC for CARRIER=smpp: smpp://system-id:password@host:port, smpps:// for TLS',
  ),
  SMPP_SYSTEM_TYPE: setting(
    z.string().regex(/^[\x20-\x7e]{0,12}$/, { error: 'up to 12 signs of ASCII' }),
    'the system_type it wants, if any',
    '',
  ),
  SMPP_BIND: setting(
    z.enum(['transceiver', 'separate']),
    'one connection for both ways, or a transmitter and a receiver',
    'transceiver',
  ),
  SMPP_NUMBERS: setting(
    phoneNumbers,
    'the numbers it has assigned to this bind, by commas: sold to accounts, but for those in SMS_POOL_NUMBERS',
    '',
  ),
  SMPP_WINDOW: setting(
    number.pipe(z.int().min(1).max(1_000)),
    'how many texts may wait for its answer at once',
    '10',
  ),
  SMPP_ENQUIRE_SECONDS: setting(seconds, 'how often it is asked whether it is there', '30'),
  SMPP_CA_FILE: setting(
    z.string().min(1).optional(),
    'who signed its certificate, as a PEM file, where the system doesn’t know',
  ),
  TWILIO_ACCOUNT_SID: setting(
    z
      .string()
      .regex(/^AC[0-9a-f]{32}$/, { error: 'AC and 32 hexadecimal digits' })
      .optional(),
    'the account for CARRIER=twilio',
  ),
  TWILIO_AUTH_TOKEN: setting(
    z.string().min(1).optional(),
    'its auth token: also what its webhooks are signed with',
  ),
  TWILIO_API_BASE: setting(origin, 'where Twilio’s API is', 'https://api.twilio.com'),
  SMS_POOL_NUMBERS: setting(
    phoneNumbers,
    'the numbers texts go out from that come from no number of the account’s own, by commas; loopback brings some',
    '',
  ),
  SMS_POOL_SILENT_DAYS: setting(
    count,
    'days without a text either way, after which another account may write to a recipient from the same pool number',
    '30',
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
  FILES_DRIVER: setting(
    z.enum(['folder', 's3']).optional(),
    'where media files lie: folder or s3; s3 where S3_BUCKET is set',
  ),
  FILES_DIR: setting(
    z.string().min(1).optional(),
    'the folder of the files (DATA_DIR/files); nodes of a cluster without S3 need one that all of them share',
  ),
  FILE_ADDRESS_SECONDS: setting(seconds, 'how long the signed address of a file holds, at least', '3600'),
  FILES_MEGABYTES_PER_WALLET: setting(
    count,
    'how many megabytes the files of messages and voicemails that a wallet uploaded may take; further uploads are refused',
    '2048',
  ),
  FILES_MEGABYTES: setting(
    number.pipe(z.int().min(0)),
    'how many megabytes such files of all wallets may take; 0 means no limit',
    '0',
  ),
  FILE_UPLOAD_SECONDS: setting(
    seconds,
    'how long an upload that is not finished or not used is kept',
    '86400',
  ),
  S3_ENDPOINT: setting(origin.optional(), 'the S3-compatible server, if not Amazon’s'),
  S3_BUCKET: setting(z.string().min(3).max(63).optional(), 'the bucket for files'),
  S3_REGION: setting(z.string().min(1), 'its region', 'us-east-1'),
  S3_ACCESS_KEY_ID: setting(
    z.string().min(1).optional(),
    'the key that may read, write, delete and list there',
  ),
  S3_SECRET_ACCESS_KEY: setting(z.string().min(1).optional(), 'and its secret'),
  FFMPEG_BIN: setting(
    z.string().min(1),
    'the ffmpeg that looks at videos and sounds; ffprobe has to be beside it',
    'ffmpeg',
  ),
  TRANSCRIPTION_URL: setting(
    webAddress.optional(),
    'an OpenAI-compatible server that turns voicemail into text (https://api.openai.com)',
  ),
  TRANSCRIPTION_KEY: setting(z.string().min(1).optional(), 'the key it wants, if it wants one'),
  TRANSCRIPTION_MODEL: setting(z.string().min(1), 'the model it is to use', 'whisper-1'),
  TRANSCRIPTION_SECONDS: setting(seconds, 'how long it may take over one voicemail', '60'),
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
  WEBHOOK_ALLOW_LOOPBACK: setting(
    flag,
    'whether webhooks may be sent to this machine, and over http: for development and tests',
    'false',
  ),
  WEBHOOK_TIMEOUT_SECONDS: setting(seconds, 'how long a webhook’s receiver may take to answer', '10'),
  WEBHOOK_RETRY_SECONDS: setting(
    delays,
    'after how many seconds each further attempt at a webhook follows, by commas; after the last it is given up',
    '5,300,1800,7200,18000,36000,50400,72000,86400',
  ),
  LOOKUP_DRIVER: setting(
    z.enum(['embedded', 'twilio']),
    'who says what a number is: embedded knows the numbering plans, twilio asks Twilio Lookup',
    'embedded',
  ),
  TWILIO_LOOKUP_URL: setting(apiUrl, "where Twilio's Lookup is", 'https://lookups.twilio.com'),
  LEAKSEARCH_DRIVER: setting(
    z.enum(['local', 'hibp']),
    'where breaches are searched: local has what npm run import:leaks brought, hibp asks Have I Been Pwned',
    'local',
  ),
  LEAKSEARCH_FREE_SEARCHES: setting(
    number.pipe(z.int()).optional(),
    'breach searches a month for accounts without a plan; unless set 10, and 0 where SIGNUP_CREDITS is 0 unless set',
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
  PUSH: setting(
    list.pipe(z.array(z.enum(['web', 'fcm', 'apns']))),
    'by what devices are told while no app is open, by commas: web (browsers), fcm (Android), apns (iPhones)',
    'web',
  ),
  PUSH_ALLOW_LOOPBACK: setting(flag, 'whether Web Push may go to this machine: for tests', 'false'),
  VAPID_SUBJECT: setting(
    z
      .string()
      .regex(/^(mailto:[^\s@]+@[^\s@]+|https:\/\/\S+)$/, {
        error: 'an address of the form mailto:… or https://…',
      })
      .optional(),
    'where the push services of browsers reach the operator (mailto:…); PUBLIC_URL, where that is https',
  ),
  FCM_SERVICE_ACCOUNT: setting(
    serviceAccount.optional(),
    'the service account of a Firebase project: its JSON, or the path of the file',
  ),
  FCM_API_BASE: setting(apiUrl, 'where FCM is', 'https://fcm.googleapis.com'),
  APNS_KEY: setting(apnsKey.optional(), "an app's key for APNs: the .p8 file's content, or its path"),
  APNS_KEY_ID: setting(
    z
      .string()
      .regex(/^\w{10}$/, { error: '10 characters' })
      .optional(),
    'its id',
  ),
  APNS_TEAM_ID: setting(
    z
      .string()
      .regex(/^\w{10}$/, { error: '10 characters' })
      .optional(),
    "the team's id",
  ),
  APNS_TOPIC: setting(
    z
      .string()
      .regex(/^[\w.-]{1,128}$/, { error: 'a bundle id (org.example.app)' })
      .optional(),
    "the app's bundle id",
  ),
  APNS_API_BASE: setting(
    apiUrl,
    'where APNs is; https://api.sandbox.push.apple.com for development builds',
    'https://api.push.apple.com',
  ),
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

export type Values = { [Name in keyof typeof settings]: z.output<(typeof settings)[Name]['schema']> };
