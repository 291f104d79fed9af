import type { Server, Socket } from 'socket.io';
import type { Address } from '../../sdk/protocol/common.ts';
import type { Network } from '../../sdk/protocol/session.ts';
import type { ClientToServerEvents, ServerToClientEvents } from '../../sdk/protocol/wire.ts';
import type { Subnet } from '../../platform/limits/subnets.ts';

/** A signed-in session, read from its token. */
export interface VerifiedSession {
  sessionId: string;
  wallet: Address;
  /** The chain network of the session. */
  network: Network;
  expiresAt: Date;
}

/** @throws ParleyError AUTHENTICATION_REQUIRED for a token that is forged or expired, or whose session has ended */
export type VerifyToken = (token: string) => Promise<VerifiedSession>;

/** The sender of a request and its device. */
export interface RequestContext {
  readonly wallet: Address;
  readonly sessionId: string;
  readonly network: Network;
  readonly socketId: string;
  /** The IP networks of the connection. */
  readonly subnets: readonly Subnet[];
  /** This device's peer id in each room it has joined, by room id. */
  readonly peers: Map<string, string>;
}

export interface SocketData {
  session: VerifiedSession;
  /** The token that proves the session. */
  token: string;
  subnets: readonly Subnet[];
  peers: Map<string, string>;
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

export function contextOf(socket: ParleySocket): RequestContext {
  const { session, peers, subnets } = socket.data;
  const { wallet, sessionId, network } = session;
  return { wallet, sessionId, network, socketId: socket.id, subnets, peers };
}
