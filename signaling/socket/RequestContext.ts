import type { Server, Socket } from 'socket.io';
import type { Address } from '../../sdk/protocol/common.ts';
import type { Network } from '../../sdk/protocol/session.ts';
import type { ClientToServerEvents, ServerToClientEvents } from '../../sdk/protocol/wire.ts';
import type { Subnet } from '../../platform/limits/subnets.ts';

/** A signed-in session, as the token says. */
export interface VerifiedSession {
  sessionId: string;
  wallet: Address;
  /** The network it was signed in to. */
  network: Network;
  expiresAt: Date;
}

/** @throws ParleyError AUTHENTICATION_REQUIRED for a token that is forged, expired, or of a session that has ended */
export type VerifyToken = (token: string) => Promise<VerifiedSession>;

/** Who sends a request, from which device. */
export interface RequestContext {
  readonly wallet: Address;
  readonly sessionId: string;
  readonly network: Network;
  readonly socketId: string;
  /** The networks it comes from. */
  readonly subnets: readonly Subnet[];
  /** This device's peer in each room it takes part in, by room. */
  readonly peers: Map<string, string>;
}

export interface SocketData {
  session: VerifiedSession;
  /** What proves the session. */
  token: string;
  subnets: readonly Subnet[];
  peers: Map<string, string>;
  /** How far the wallet's sequence of events went when this connection was let in. */
  latestEvent: number;
  /** Closes the connection when its session expires. */
  expiry: NodeJS.Timeout | null;
}

/** What nodes tell each other by the same way as devices: hints, that may get lost. */
interface InterServerEvents {
  /** Who publishes or watches this stream is not who was. */
  'stream:changed': (streamId: string) => void;
  /** This recording is not to go on. */
  'recording:changed': (recordingId: string) => void;
}

export type ParleyServer = Server<ClientToServerEvents, ServerToClientEvents, InterServerEvents, SocketData>;
export type ParleySocket = Socket<ClientToServerEvents, ServerToClientEvents, InterServerEvents, SocketData>;

export function contextOf(socket: ParleySocket): RequestContext {
  const { session, peers, subnets } = socket.data;
  const { wallet, sessionId, network } = session;
  return { wallet, sessionId, network, socketId: socket.id, subnets, peers };
}
