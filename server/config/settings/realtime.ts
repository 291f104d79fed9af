import { z } from 'zod';
import {
  chains,
  contractsByChain,
  count,
  list,
  listenAddress,
  matching,
  port,
  seconds,
  text,
  turnUrl,
} from '../settingKinds.ts';
import { setting } from './setting.ts';

/** Calls, rooms, streams and messages: chains, TURN, timeouts and rate limits. */
export const realtimeSettings = {
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
  ENS_RESOLVERS: setting(
    contractsByChain,
    'the Universal Resolver of ENS by chain id; names are read on those of these chains that CHAINS_MAINNET or CHAINS_TESTNET names; none switches them off',
    '1=0xeeeeeeee14d718c2b47d9923deab1335e144eeee,11155111=0xeeeeeeee14d718c2b47d9923deab1335e144eeee',
  ),
  TURN: setting(
    z.enum(['off', 'auto']),
    'auto runs a TURN server (coturn) on each node with media, for clients behind strict firewalls; TURN_URLS and TURN_SECRET name another one instead',
    'off',
  ),
  TURN_PORT: setting(port, 'port of the TURN server of TURN=auto, UDP and TCP', '3478'),
  TURN_TLS_PORT: setting(
    port.optional(),
    'port at which the TURN server of TURN=auto accepts TLS (443 gets through most firewalls); needs a certificate',
  ),
  TURN_CERT_FILE: setting(
    text.optional(),
    'certificate of the TURN server of TURN=auto with its chain, a PEM file; the one of --https by default. A renewed file is read within seconds',
  ),
  TURN_KEY_FILE: setting(text.optional(), 'private key of TURN_CERT_FILE, a PEM file'),
  TURN_HOST: setting(
    listenAddress.optional(),
    'IP address of this machine on which the TURN server of TURN=auto listens; HOST by default. Set it if port 443 of another address belongs to the web server',
  ),
  TURN_NAME: setting(
    matching(/^[a-zA-Z0-9.:-]{1,253}$/, 'use a host name or an IP address').optional(),
    'host name or address under which clients reach the TURN server of TURN=auto; by default the announced address, and for TLS the host of PUBLIC_URL',
  ),
  TURN_URLS: setting(
    list.pipe(z.array(turnUrl)),
    'TURN servers for clients behind strict firewalls, comma-separated (turn:turn.example.org:3478?transport=tcp)',
    '',
  ),
  TURN_SECRET: setting(
    text.optional(),
    'secret shared with the TURN servers (static-auth-secret in coturn); required with TURN_URLS',
  ),
  TURN_TTL_SECONDS: setting(seconds, 'how long TURN credentials are valid', '43200'),
  MEDIASOUP_WORKER_BIN: setting(
    text.optional(),
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
  RATE_LIMIT_DATA: setting(count, 'data messages a wallet or guest may send to rooms in 10 seconds', '100'),
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
};
