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
  /** The value an unset variable has, in the syntax of the environment. */
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

/** All settings by environment variable: the schema of the value, the text of `--help` and the default. */
export const settings = {
  PORT: setting(port, 'port for HTTP and WebSocket', '3000'),
  HOST: setting(listenAddress, 'IP address to listen on; 0.0.0.0 for all', '127.0.0.1'),
  PUBLIC_URL: setting(
    origin.optional(),
    'origin under which users open the server (https://parley.example.org); required in production',
  ),
  DATA_DIR: setting(z.string().min(1), 'folder for the embedded database, files and keys', defaultDataDir),
  DATABASE_URL: setting(
    z.url({ protocol: /^postgres(ql)?$/ }).optional(),
    'PostgreSQL to use instead of the embedded one (postgres://…)',
  ),
  REDIS_URL: setting(
    z.url({ protocol: /^rediss?$/ }).optional(),
    'Redis shared by the nodes of a cluster (redis://…); each node also needs the same DATABASE_URL and SECRET_KEY',
  ),
  ROLES: setting(
    list.pipe(z.array(z.enum(allRoles)).min(1)).transform((roles) => [...new Set(roles)]),
    'roles of this node, comma-separated: api, signaling, media',
    allRoles.join(','),
  ),
  CLUSTER_HOST: setting(
    z.string().min(1).optional(),
    'address at which other nodes reach this one, in a private network; defaults to HOST',
  ),
  CLUSTER_PORT: setting(port, 'port at which other nodes reach this one', '3900'),
  DRAIN_SECONDS: setting(
    seconds,
    'longest time a stopping node waits for its rooms to move to other nodes',
    '15',
  ),
  SECRET_KEY: setting(
    z.string().min(32).optional(),
    'secret from which all signing keys are derived, at least 32 characters; generated once in DATA_DIR if not set; required in production',
  ),
  ALLOWED_ORIGINS: setting(
    list.pipe(z.array(allowedOrigin)),
    'additional origins that may use this server, comma-separated: pages (https://app.example.org) and app shells (capacitor://localhost); null allows sandboxed pages and local files; in development, pages on this machine need no entry',
    '',
  ),
  SECURITY_CONTACT: setting(
    z
      .string()
      .regex(/^(mailto:[^\s@]+@[^\s@]+|https:\/\/\S+)$/, {
        error: 'use an address of the form mailto:… or https://…',
      })
      .optional(),
    'address for reports of security problems (mailto:… or https://…), published at /.well-known/security.txt',
  ),
  TRUST_PROXY: setting(
    trustedProxies,
    'reverse proxies whose X-Forwarded headers are trusted: their number, or their addresses, comma-separated',
    '0',
  ),
  MEDIA_PORT: setting(
    port,
    'port of the first media worker, UDP and TCP; each further worker uses the next port',
    '20000',
  ),
  MEDIA_WORKERS: setting(
    workers,
    'number of media workers; each uses one CPU core',
    String(availableParallelism()),
  ),
  MEDIA_WORKER_CONSUMERS: setting(
    count,
    'streams one media worker sends before a large conference continues on the next worker or node',
    '400',
  ),
  PIPE_PORTS: setting(
    portRange,
    'UDP ports for media between workers and, at CLUSTER_HOST, between nodes: first-last',
    '19000-19999',
  ),
  MEDIA_ANNOUNCED_ADDRESS: setting(
    list,
    'public addresses announced to media clients, comma-separated; set it behind a NAT',
    '',
  ),
  MEDIA_NETWORK_MBIT: setting(
    count,
    'network bandwidth of this node in one direction, in Mbit/s; used to place rooms on nodes',
    '1000',
  ),
  RTMP_PORT: setting(
    number.pipe(z.int().min(0).max(65_535)),
    'port for publishing by RTMP, at HOST; 0 disables RTMP',
    '1935',
  ),
  RTMP_CONNECTIONS_PER_NETWORK: setting(
    count,
    'largest number of RTMP connections to this node from one network (an IPv4 address or an IPv6 /64), out of 1,000 in total; raise it behind a proxy, where all publishers share one address',
    '100',
  ),
  STREAM_TRANSCODES: setting(
    number.pipe(z.int().min(0).max(256)),
    'videos of streams this node transcodes at the same time; each uses about one CPU core',
    String(availableParallelism()),
  ),
  FFMPEG_PROCESSES: setting(
    count,
    'largest number of long-running ffmpeg processes on this node, about 40 MB each: RTMP publishers, HLS and video recordings',
    '200',
  ),
  FFMPEG_PROCESSES_PER_WALLET: setting(
    count,
    'how many of these one wallet may use for its streams and recordings; a wallet may use at most half of STREAM_TRANSCODES',
    '60',
  ),
  HLS_IDLE_SECONDS: setting(seconds, 'how long the server keeps packaging HLS that nobody fetches', '30'),
  RECORDING_MAX_SECONDS: setting(
    seconds,
    'maximum length of a recording; it ends when it reaches this length',
    '14400',
  ),
  RECORDING_MAX_MEGABYTES: setting(
    count,
    'maximum size of a recording; it ends when it reaches this size',
    '4096',
  ),
  RECORDING_MAX_PEOPLE: setting(
    count,
    'largest number of participants of a room recorded at the same time, one ffmpeg each; later participants are left out',
    '50',
  ),
  RECORDINGS_MEGABYTES_PER_WALLET: setting(
    count,
    'storage for the recordings of one wallet; new recordings are refused when it is full',
    '20480',
  ),
  RECORDING_FREE_MEGABYTES: setting(
    number.pipe(z.int().min(0)),
    'free disk space required at DATA_DIR; with less, running recordings end and new ones are refused',
    '1024',
  ),
  RECORDING_CHUNK_SECONDS: setting(
    seconds,
    'how often recorded data is copied to the file storage; a node that is lost loses at most this much of a recording',
    '20',
  ),
  CHAINS_MAINNET: setting(
    chains,
    'EVM chains of the main network by id and RPC URL, comma-separated (1=https://…,137=https://…); used for contract wallets and gates',
    '',
  ),
  CHAINS_TESTNET: setting(
    chains,
    'EVM chains of the test network, in the same form (11155111=https://…)',
    '',
  ),
  TURN_URLS: setting(
    list.pipe(
      z.array(z.string().regex(/^turns?:/, { error: 'use addresses that begin with turn: or turns:' })),
    ),
    'TURN servers for clients behind strict firewalls, comma-separated (turn:turn.example.org:3478?transport=tcp)',
    '',
  ),
  TURN_SECRET: setting(
    z.string().min(1).optional(),
    'secret shared with the TURN servers (static-auth-secret in coturn); required with TURN_URLS',
  ),
  TURN_TTL_SECONDS: setting(seconds, 'how long TURN credentials are valid', '43200'),
  MEDIASOUP_WORKER_BIN: setting(
    z.string().min(1).optional(),
    'mediasoup-worker program to run instead of the installed one',
  ),
  CALL_RING_SECONDS: setting(seconds, 'how long a call rings', '30'),
  CALL_GRACE_SECONDS: setting(
    seconds,
    'how long a device may be disconnected before its call ends or it leaves its room',
    '20',
  ),
  MAX_CONNECTIONS: setting(
    count,
    'maximum number of HTTP and WebSocket connections to this node; lower where the limit of open files (ulimit -n) is low',
    '20000',
  ),
  MAX_CONNECTIONS_PER_NETWORK: setting(
    count,
    'how many of these may come from one network (an IPv4 address or an IPv6 /64), at most half of all; raise it for a large office behind one address',
    '2000',
  ),
  RATE_LIMIT_NETWORK_FACTOR: setting(
    count,
    'multiple of the other rate limits that all wallets and keys of one network (an IPv4 address or an IPv6 /64) share; raise it for an office with hundreds of active users behind one address',
    '20',
  ),
  RATE_LIMIT_REALTIME: setting(count, 'requests per realtime connection in 10 seconds', '200'),
  RATE_LIMIT_CALLS: setting(count, 'calls a wallet may start per minute', '60'),
  RATE_LIMIT_CALLED: setting(
    count,
    'calls from contacts (wallets it has called, answered or written to) that may ring at a wallet per minute; calls from strangers have a separate limit of half as many, a quarter for one network and a sixth for one caller',
    '120',
  ),
  GATE_RECHECK_SECONDS: setting(
    seconds,
    'how often the wallets in a gated room or stream are checked against the gate again',
    '300',
  ),
  STREAM_RECONNECT_SECONDS: setting(
    seconds,
    'how long a live stream waits for its publisher to reconnect before it ends',
    '60',
  ),
  RATE_LIMIT_STREAMS: setting(count, 'streams a wallet may create per minute', '30'),
  RATE_LIMIT_WHIP: setting(count, 'WHIP publishing attempts per IP address and minute', '60'),
  RATE_LIMIT_WHEP: setting(count, 'WHEP playback attempts per IP address and minute', '300'),
  RATE_LIMIT_HLS: setting(count, 'HLS playback attempts per IP address and minute', '300'),
  RATE_LIMIT_ROOMS: setting(count, 'rooms a wallet may create per minute', '30'),
  RATE_LIMIT_JOINS: setting(
    count,
    'joins per wallet and minute, counted separately for rooms, for streams to watch, and for the media of calls, rooms and streams',
    '120',
  ),
  RATE_LIMIT_CHAT: setting(count, 'chat messages a wallet may write in rooms and streams per minute', '60'),
  RATE_LIMIT_CHANGES: setting(
    count,
    'changes a wallet may make in 10 seconds that everybody in a room is notified of: raised hand, microphone, camera, lock; also the sources it may start to publish',
    '30',
  ),
  RATE_LIMIT_INVITES: setting(count, 'wallets a wallet may invite to rooms per minute', '200'),
  RATE_LIMIT_INVITED: setting(
    count,
    'invitations from contacts that notify a wallet per minute; strangers share half as many, divided as for RATE_LIMIT_CALLED; further invitations are valid but do not notify',
    '60',
  ),
  RATE_LIMIT_GATES: setting(count, 'gate checks a wallet may request per minute', '60'),
  RATE_LIMIT_MESSAGES: setting(
    count,
    'messages and reactions a wallet may send per minute; a message counts once per 1,000 bytes of its text',
    '600',
  ),
  EVENT_DAYS: setting(
    count,
    'how many days the events of a wallet are kept for its devices that are offline; messages are kept regardless',
    '30',
  ),
  RATE_LIMIT_AUTH: setting(count, 'sign-in requests per IP address and minute', '300'),
  RATE_LIMIT_READS: setting(count, 'HTTP reads per key or account and minute', '600'),
  RATE_LIMIT_WRITES: setting(count, 'HTTP writes per key or account and minute', '60'),
  RATE_LIMIT_VOICEMAIL: setting(count, 'voicemails a wallet may leave per minute', '10'),
  RATE_LIMIT_VOICEMAILED: setting(
    count,
    'voicemails from contacts that a wallet may receive per minute; strangers have half as many, divided as for RATE_LIMIT_CALLED',
    '30',
  ),
  RATE_LIMIT_UPLOADS: setting(count, 'upload requests per account and minute', '600'),
  RATE_LIMIT_LEAKSEARCH: setting(count, 'breach searches per key or account and minute', '10'),
  REQUEST_LEASE_SECONDS: setting(
    seconds,
    'longest time the reserved credits and the Idempotency-Key of a request stay locked after its process was killed',
    '60',
  ),
  SIGNUP_CREDITS: setting(
    number.pipe(z.int()).optional(),
    'credits of a new account; if not set, 500, but 0 in production, with a public PUBLIC_URL or HOST, and with a real carrier, eSIM, lookup or breach provider',
  ),
  PLANS: setting(
    plansInJson,
    'available plans, as JSON: [{"id","name","monthlyCredits","price","leakSearches"}]',
    '[]',
  ),
  X402_PAY_TO: setting(
    evmAddress.optional(),
    'wallet that receives payments per request (x402); X402_PAY_TO and X402_NETWORKS together enable them',
  ),
  X402_NETWORKS: setting(
    paymentNetworks,
    'networks on which payments are accepted, comma-separated (eip155:8453); paid in USDC, or in another token with six decimals (eip155:8453=0x…)',
    '',
  ),
  X402_FACILITATOR_URL: setting(
    z.url({ protocol: /^https?$/ }).optional(),
    'x402 facilitator that settles payments; without it, this server settles them',
  ),
  X402_SETTLER_KEY: setting(
    privateKey.optional(),
    'private key with which this server settles payments; its wallet pays the gas and receives no payments',
  ),
  X402_MAX_FEE_GWEI: setting(
    count,
    "highest fee for settling one payment, in billionths of the chain's coin; while fees are higher, payments are refused with 503",
    '1000000',
  ),
  OPERATOR_WALLETS: setting(
    list.pipe(z.array(walletAddress)),
    'wallets of the operators, comma-separated; their dashboard sessions see the payments of the whole installation; an address means an ordinary wallet, eip155:<chain>:<address> a contract wallet',
    '',
  ),
  CARRIER: setting(
    z.enum(['loopback', 'smpp', 'twilio']),
    'carrier for texts and phone numbers: loopback delivers only within this installation; smpp and twilio reach real phones',
    'loopback',
  ),
  SMPP_URL: setting(
    smscUrl.optional(),
    'SMSC for CARRIER=smpp: smpp://system-id:password@host:port, smpps:// for TLS',
  ),
  SMPP_SYSTEM_TYPE: setting(
    z.string().regex(/^[\x20-\x7e]{0,12}$/, { error: 'use up to 12 printable ASCII characters' }),
    'system_type for the SMSC, if it requires one',
    '',
  ),
  SMPP_BIND: setting(
    z.enum(['transceiver', 'separate']),
    'transceiver for one connection in both directions, separate for a transmitter and a receiver',
    'transceiver',
  ),
  SMPP_NUMBERS: setting(
    phoneNumbers,
    'phone numbers the SMSC has assigned to this bind, comma-separated; they are sold to accounts, except those in SMS_POOL_NUMBERS',
    '',
  ),
  SMPP_WINDOW: setting(
    number.pipe(z.int().min(1).max(1_000)),
    'texts that may wait for an answer of the SMSC at the same time',
    '10',
  ),
  SMPP_ENQUIRE_SECONDS: setting(
    seconds,
    'how often the connection to the SMSC is checked (enquire_link)',
    '30',
  ),
  SMPP_CA_FILE: setting(
    z.string().min(1).optional(),
    'PEM file of the CA that signed the certificate of the SMSC, if the system does not trust it',
  ),
  TWILIO_ACCOUNT_SID: setting(
    z
      .string()
      .regex(/^AC[0-9a-f]{32}$/, { error: 'use AC and 32 hexadecimal digits' })
      .optional(),
    'Twilio account for CARRIER=twilio and LOOKUP_DRIVER=twilio',
  ),
  TWILIO_AUTH_TOKEN: setting(
    z.string().min(1).optional(),
    'auth token of the Twilio account; it also verifies webhooks from Twilio',
  ),
  TWILIO_API_BASE: setting(origin, 'base URL of the Twilio API', 'https://api.twilio.com'),
  SMS_POOL_NUMBERS: setting(
    phoneNumbers,
    'phone numbers for texts that are not sent from a number of the account, comma-separated; CARRIER=loopback has its own',
    '',
  ),
  SMS_POOL_SILENT_DAYS: setting(
    count,
    'days without a text in either direction after which another account may text a recipient from the same pool number',
    '30',
  ),
  SMS_COUNTRIES: setting(
    countries,
    'countries that may be texted, comma-separated; * for all; a short list protects against SMS pumping fraud',
    'US,CA,GB,GG,JE,IM,IE,DE,AT,CH,FR,BE,NL,LU,ES,PT,IT,DK,SE,NO,FI,PL,CZ,AU,NZ,JP',
  ),
  SMS_PRICES: setting(
    pricesByCountry,
    'credits per segment by country, where they differ from the built-in table (US=2,DE=10,*=15)',
    '',
  ),
  SMS_SUBMIT_SECONDS: setting(
    seconds,
    'how long the carrier may take to accept a text or sell a number before the outcome counts as unknown',
    '20',
  ),
  NUMBER_GRACE_DAYS: setting(
    count,
    'days an expired number can still be renewed before it is released',
    '14',
  ),
  STRIPE_SECRET_KEY: setting(
    z
      .string()
      .regex(/^(sk|rk)_(live|test)_\w+$/, { error: 'use a secret or restricted key of Stripe: sk_… or rk_…' })
      .optional(),
    'Stripe secret key; enables card payments for credits and plans',
  ),
  STRIPE_WEBHOOK_SECRET: setting(
    z
      .string()
      .regex(/^whsec_\S+$/, { error: 'use the signing secret of a webhook endpoint: whsec_…' })
      .optional(),
    'signing secret of the Stripe webhook endpoint, which is PUBLIC_URL/api/v1/stripe/webhook',
  ),
  STRIPE_API_BASE: setting(origin.optional(), 'base URL of the Stripe API, for tests'),
  FILES_DRIVER: setting(
    z.enum(['folder', 's3']).optional(),
    'storage of media files: folder or s3; defaults to s3 if S3_BUCKET is set, else folder',
  ),
  FILES_DIR: setting(
    z.string().min(1).optional(),
    'folder of the media files, DATA_DIR/files by default; nodes of a cluster without S3 need a folder that all of them share',
  ),
  FILE_ADDRESS_SECONDS: setting(seconds, 'shortest time for which the signed URL of a file is valid', '3600'),
  FILES_MEGABYTES_PER_WALLET: setting(
    count,
    'storage in megabytes for the message and voicemail files one wallet has uploaded; further uploads are refused when it is full',
    '2048',
  ),
  FILES_MEGABYTES: setting(
    number.pipe(z.int().min(0)),
    'storage in megabytes for such files of all wallets; 0 means no limit',
    '0',
  ),
  FILE_UPLOAD_SECONDS: setting(seconds, 'how long an unfinished or unused upload is kept', '86400'),
  S3_ENDPOINT: setting(origin.optional(), 'S3-compatible server, if not Amazon S3'),
  S3_BUCKET: setting(z.string().min(3).max(63).optional(), 'bucket for files'),
  S3_REGION: setting(z.string().min(1), 'region of the bucket', 'us-east-1'),
  S3_ACCESS_KEY_ID: setting(
    z.string().min(1).optional(),
    'access key that may read, write, delete and list in the bucket',
  ),
  S3_SECRET_ACCESS_KEY: setting(z.string().min(1).optional(), 'secret of the access key'),
  FFMPEG_BIN: setting(
    z.string().min(1),
    'ffmpeg program for video and audio; ffprobe must be in the same folder',
    'ffmpeg',
  ),
  TRANSCRIPTION_URL: setting(
    webAddress.optional(),
    'OpenAI-compatible server that transcribes voicemail (https://api.openai.com); without it, voicemail is not transcribed',
  ),
  TRANSCRIPTION_KEY: setting(
    z.string().min(1).optional(),
    'API key for the transcription server, if it requires one',
  ),
  TRANSCRIPTION_MODEL: setting(z.string().min(1), 'transcription model', 'whisper-1'),
  TRANSCRIPTION_SECONDS: setting(seconds, 'how long the transcription of one voicemail may take', '60'),
  OIDC_ISSUER: setting(
    webAddress.optional(),
    'issuer of an outside identity provider (OpenID Connect), exactly as in the iss of its tokens',
  ),
  OIDC_AUDIENCE: setting(
    z.string().min(1).max(255).optional(),
    'required audience (aud) of its tokens; defaults to OIDC_CLIENT_ID',
  ),
  OIDC_CLIENT_ID: setting(
    z.string().min(1).max(255).optional(),
    "id of the console's public client at the provider (authorization code with PKCE); without it, the console offers no sign-in with the provider",
  ),
  OIDC_NAME: setting(
    z.string().min(1).max(64),
    'name of the provider on the sign-in button',
    'single sign-on',
  ),
  OIDC_SCOPE: setting(
    z.string().min(1).max(255),
    'scopes the console requests from the provider',
    'openid email',
  ),
  OIDC_JWKS_URI: setting(
    webAddress.optional(),
    "URL of the provider's keys, if its discovery document does not name it",
  ),
  OIDC_ALGORITHMS: setting(
    list.pipe(z.array(asymmetricAlgorithm).min(1)),
    'accepted signature algorithms, comma-separated',
    'RS256,PS256,ES256',
  ),
  OIDC_ORIGINS: setting(
    list.pipe(z.array(origin)),
    'further origins of the provider that the console connects to, comma-separated',
    '',
  ),
  OIDC_KEYS_SECONDS: setting(seconds, "how long the provider's keys are cached", '600'),
  OIDC_COOLDOWN_SECONDS: setting(
    seconds,
    "shortest time between two requests for the provider's keys, even if a token names an unknown key",
    '30',
  ),
  WEBHOOK_ALLOW_LOOPBACK: setting(
    flag,
    'allows webhooks to this machine, and over http; for development and tests',
    'false',
  ),
  WEBHOOK_TIMEOUT_SECONDS: setting(seconds, 'how long the receiver of a webhook may take to answer', '10'),
  WEBHOOK_RETRY_SECONDS: setting(
    delays,
    'seconds before each further attempt to deliver a webhook, comma-separated; the delivery fails after the last one',
    '5,300,1800,7200,18000,36000,50400,72000,86400',
  ),
  LOOKUP_DRIVER: setting(
    z.enum(['embedded', 'twilio']),
    'source of phone number look-ups: embedded uses the numbering plans, twilio asks Twilio Lookup',
    'embedded',
  ),
  TWILIO_LOOKUP_URL: setting(apiUrl, 'base URL of the Twilio Lookup API', 'https://lookups.twilio.com'),
  LEAKSEARCH_DRIVER: setting(
    z.enum(['local', 'hibp']),
    'source of breach searches: local searches the data from npm run import:leaks, hibp asks Have I Been Pwned',
    'local',
  ),
  LEAKSEARCH_FREE_SEARCHES: setting(
    number.pipe(z.int()).optional(),
    'breach searches per month for accounts without a plan; if not set, 10, but 0 where the default of SIGNUP_CREDITS is 0',
  ),
  HIBP_API_KEY: setting(z.string().min(1).optional(), 'API key of a Have I Been Pwned subscription'),
  HIBP_URL: setting(apiUrl, 'base URL of the Have I Been Pwned API', 'https://haveibeenpwned.com/api/v3'),
  HIBP_PASSWORDS_URL: setting(
    apiUrl,
    'base URL of the Pwned Passwords API',
    'https://api.pwnedpasswords.com',
  ),
  ESIM_DRIVER: setting(
    z.enum(['loopback', 'airalo']),
    'seller of eSIMs: loopback has a test catalogue, airalo sells real ones',
    'loopback',
  ),
  ESIM_MARKUP_PERCENT: setting(number, 'percentage added to the retail price of the provider', '0'),
  ESIM_SETTLE_SECONDS: setting(
    seconds,
    'how long an eSIM order with an unknown outcome may still appear at the provider before its credits are refunded',
    '180',
  ),
  AIRALO_CLIENT_ID: setting(z.string().min(1).optional(), 'client id of the Airalo partner account'),
  AIRALO_CLIENT_SECRET: setting(z.string().min(1).optional(), 'client secret of the Airalo partner account'),
  AIRALO_URL: setting(apiUrl, 'base URL of the Airalo partner API', 'https://partners-api.airalo.com'),
  XMPP_API_URL: setting(
    apiUrl.optional(),
    "URL of ejabberd's mod_http_api (http://127.0.0.1:5280/api); without it, there are no XMPP accounts",
  ),
  XMPP_API_USER: setting(
    z.string().min(3).optional(),
    'full JID of an ejabberd administrator, if the API requires one',
  ),
  XMPP_API_PASSWORD: setting(z.string().min(1).optional(), 'password of the administrator'),
  XMPP_DOMAIN: setting(z.string().min(1).optional(), 'domain of new XMPP accounts, the part after the @'),
  XMPP_HOST: setting(
    z.string().min(1).optional(),
    'host that XMPP clients connect to, if it is not the domain',
  ),
  XMPP_WEBSOCKET_URL: setting(
    z.url({ protocol: /^wss?$/ }).optional(),
    'WebSocket URL for XMPP in browsers (wss://…)',
  ),
  XMPP_SMS_GATEWAY: setting(z.string().min(1).optional(), 'JID of an XMPP gateway to SMS, if there is one'),
  PUSH: setting(
    list.pipe(z.array(z.enum(['web', 'fcm', 'apns']))),
    'push services that notify devices without an open app, comma-separated: web (browsers), fcm (Android), apns (iPhones)',
    'web',
  ),
  PUSH_ALLOW_LOOPBACK: setting(flag, 'allows Web Push to this machine; for tests', 'false'),
  VAPID_SUBJECT: setting(
    z
      .string()
      .regex(/^(mailto:[^\s@]+@[^\s@]+|https:\/\/\S+)$/, {
        error: 'use an address of the form mailto:… or https://…',
      })
      .optional(),
    'contact of the operator for the push services of browsers (mailto:… or https://…); defaults to PUBLIC_URL if that is https',
  ),
  FCM_SERVICE_ACCOUNT: setting(
    serviceAccount.optional(),
    'service account of a Firebase project: its JSON, or the path of the JSON file',
  ),
  FCM_API_BASE: setting(apiUrl, 'base URL of FCM', 'https://fcm.googleapis.com'),
  APNS_KEY: setting(apnsKey.optional(), 'APNs key of the app: the content of the .p8 file, or its path'),
  APNS_KEY_ID: setting(
    z
      .string()
      .regex(/^\w{10}$/, { error: 'use the 10 characters Apple shows' })
      .optional(),
    'id of the APNs key',
  ),
  APNS_TEAM_ID: setting(
    z
      .string()
      .regex(/^\w{10}$/, { error: 'use the 10 characters Apple shows' })
      .optional(),
    'id of the Apple developer team',
  ),
  APNS_TOPIC: setting(
    z
      .string()
      .regex(/^[\w.-]{1,128}$/, { error: 'use a bundle id (org.example.app)' })
      .optional(),
    'bundle id of the app',
  ),
  APNS_API_BASE: setting(
    apiUrl,
    'base URL of APNs; https://api.sandbox.push.apple.com for development builds',
    'https://api.push.apple.com',
  ),
  LOG_LEVEL: setting(
    z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']),
    'lowest level that is logged',
    'info',
  ),
  LOG_PRETTY: setting(
    flag,
    'logs readable text instead of JSON lines; on by default in a terminal',
    String(process.stdout.isTTY === true),
  ),
  NODE_ENV: setting(
    z.enum(['development', 'production', 'test']),
    'production refuses unsafe settings and requires SECRET_KEY and PUBLIC_URL',
    'development',
  ),
};

export type Values = { [Name in keyof typeof settings]: z.output<(typeof settings)[Name]['schema']> };
