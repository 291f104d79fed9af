import type { Server, Socket } from 'socket.io';
import type { Address } from '../../sdk/protocol/common.ts';
import type { WelcomedGuest } from '../../sdk/protocol/guests.ts';
import type { GuestId, PartyId } from '../../sdk/protocol/party.ts';
import type { Network } from '../../sdk/protocol/session.ts';
import type { ClientToServerEvents, ServerToClientEvents } from '../../sdk/protocol/wire.ts';
import type { Subnet } from '../../platform/limits/subnets.ts';

/** A signed-in session of a wallet, read from its token. */
export interface WalletSession {
  sessionId: string;
  wallet: Address;
  /** The chain network of the session. */
  network: Network;
  expiresAt: Date;
  guest?: undefined;
}

/** A guest, read from its participant token. */
export interface GuestSession {
  /** The id of the participant token. */
  sessionId: string;
  wallet: GuestId;
  network: Network;
  /** Until when the token can be used to enter. A guest who is inside may stay. */
  expiresAt: Date;
  /** Whether a guest with this token was in a room, or watched or published a stream, when the token was read. */
  isInside: boolean;
  guest: Guest;
}

/** What the participant token of a guest says. */
export interface Guest extends WelcomedGuest {
  tokenId: string;
  createdAt: Date;
}

export type VerifiedSession = WalletSession | GuestSession;

/** @throws ParleyError AUTHENTICATION_REQUIRED for a token that is forged or expired, or whose session has ended */
export type VerifyToken = (token: string) => Promise<VerifiedSession>;

interface Connected {
  readonly sessionId: string;
  readonly network: Network;
  readonly socketId: string;
  /** The IP networks of the connection. */
  readonly subnets: readonly Subnet[];
  /** This device's peer id in each room it has joined, by room id. */
  readonly peers: Map<string, string>;
  /** By whom rate limits count the requests; null for a backend, whose requests the HTTP API counts. */
  readonly countedAs: string | null;
}

/** The sender of a request and its device: a wallet. */
export interface RequestContext extends Connected {
  readonly wallet: Address;
  readonly guest: null;
}

/** A guest and its device. */
export interface GuestContext extends Connected {
  readonly wallet: GuestId;
  readonly guest: Guest;
}

/** A backend, which acts through the HTTP API as the host of its account's rooms and streams. It has no device. */
export interface BackendContext extends Connected {
  readonly wallet: PartyId;
  readonly guest: null;
  readonly isBackend: true;
}

/** The sender of a request about a room or stream. Guests may send only the requests in `guestRequests`. */
export type PartyContext = RequestContext | GuestContext | BackendContext;

/** @param host the account's wallet, or `account:…` if it has none */
export const backendContext = (host: PartyId, network: Network): BackendContext => ({
  wallet: host,
  guest: null,
  isBackend: true,
  sessionId: '',
  network,
  socketId: '',
  subnets: [],
  peers: new Map(),
  countedAs: null,
});

/** Whether a request comes from a backend. */
export const isBackend = (context: PartyContext): context is BackendContext => 'isBackend' in context;

export interface SocketData {
  session: VerifiedSession;
  /** The token that proves the session. */
  token: string;
  subnets: readonly Subnet[];
  peers: Map<string, string>;
  /** How the server rates this device's media in each room, 0 to 10 in each direction; null without media. */
  scores: Map<string, { sending: number | null; receiving: number | null }>;
  /** The number of the wallet's latest event when this connection was admitted. */
  latestEvent: number;
  /** Closes the connection when its session expires. */
  expiry: NodeJS.Timeout | null;
}

/** Hints that nodes send each other over the same adapter as events. They may get lost. */
interface InterServerEvents {
  /** The publisher or the viewers of this stream have changed. */
  'stream:changed': (streamId: string) => void;
  /** This recording should stop. */
  'recording:changed': (recordingId: string) => void;
}

export type ParleyServer = Server<ClientToServerEvents, ServerToClientEvents, InterServerEvents, SocketData>;
export type ParleySocket = Socket<ClientToServerEvents, ServerToClientEvents, InterServerEvents, SocketData>;

export function contextOf({ id: socketId, data }: ParleySocket): RequestContext | GuestContext {
  const { session, peers, subnets } = data;
  const { sessionId, network } = session;
  if (!session.guest) {
    const { wallet } = session;
    return { sessionId, network, socketId, subnets, peers, wallet, guest: null, countedAs: wallet };
  }
  const { wallet, guest } = session;
  // The guests of two rooms may have the same identity.
  const countedAs = `${wallet} ${guest.subjectId}`;
  return { sessionId, network, socketId, subnets, peers, wallet, guest, countedAs };
}
