import type { Logger } from 'pino';
import { safeParse, type Address } from '../../sdk/protocol/common.ts';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import { newId } from '../../sdk/protocol/ids.ts';
import { handshake } from '../../sdk/protocol/session.ts';
import { oldestProtocolVersion, protocolVersion } from '../../sdk/protocol/version.ts';
import type { ParleyServer, ParleySocket, VerifyToken } from './RequestContext.ts';
import { toErrorBody, validationError } from '../../platform/errors.ts';
import { channels } from './Notifier.ts';
import { addressOf, subnetsOf } from '../../platform/limits/subnets.ts';
import { Slots } from '../../platform/limits/Slots.ts';

/** The maximum number of connections per wallet, which belongs to one person. Each connection has its own request limit. */
const maxConnectionsPerWallet = 64;
/**
 * The maximum number of concurrent handshakes, which share their database reads. When thousands of clients reconnect at the same time, the
 * others wait here. A client that disconnects while it waits costs nothing.
 */
const admittedAtOnce = 100;

/** The number of the wallet's latest event. */
type LatestEvent = (wallet: Address) => Promise<number>;

/** Refuses a connection without a valid session. The reason is an ErrorBody in the data of `connect_error`. */
export function authenticate(
  io: ParleyServer,
  verifyToken: VerifyToken,
  log: Logger,
  latestEvent: LatestEvent = () => Promise.resolve(0),
): void {
  const taken = new WeakSet<object>();
  const slots = new Slots(admittedAtOnce, Infinity);
  io.use((socket, next) => {
    // A second handshake on one connection would make two devices of it.
    if (taken.has(socket.conn)) return socket.conn.close();
    taken.add(socket.conn);
    socket.once('disconnect', () => taken.delete(socket.conn));
    slots
      .run(() => admit(io, socket, verifyToken, latestEvent))
      .then(
        () => next(),
        (err: unknown) => {
          taken.delete(socket.conn);
          const requestId = newId('req');
          const body = toErrorBody(err, requestId);
          if (err instanceof ParleyError) log.debug({ requestId, code: body.code }, 'handshake refused');
          else log.error({ err, requestId }, 'handshake failed');
          next(Object.assign(new Error(body.message), { data: body }));
        },
      );
  });
  // If the session ended while the connection was opening, this socket was not told. So the session is checked again.
  io.on('connection', (socket) => void slots.run(() => confirmSession(socket, verifyToken, log)));
}

/** Checks again that the session has not ended. Closes the connection if it has. */
export async function confirmSession(
  socket: ParleySocket,
  verifyToken: VerifyToken,
  log: Logger,
): Promise<void> {
  try {
    await verifyToken(socket.data.token);
  } catch (err) {
    if (err instanceof ParleyError) endConnection(socket, err);
    else log.warn({ err, socket: socket.id }, 'session could not be checked');
  }
}

async function admit(
  io: ParleyServer,
  socket: ParleySocket,
  verifyToken: VerifyToken,
  latestEvent: LatestEvent,
): Promise<void> {
  // The client disconnected while it waited here. It will try again on another connection.
  if ((socket.conn as { readyState?: string }).readyState !== 'open')
    throw new ParleyError('SERVICE_UNAVAILABLE', 'The connection was closed: connect again.');
  const token = tokenOf(socket);
  if (token === '')
    throw new ParleyError(
      'AUTHENTICATION_REQUIRED',
      `Sign in first: the handshake carries no token. Connect with auth: { token, protocolVersion: ${protocolVersion} }; see docs/protocol.md.`,
      { reason: 'missing_credentials' },
    );
  if (!('protocolVersion' in socket.handshake.auth))
    throw new ParleyError(
      'VALIDATION_ERROR',
      `The handshake names no protocolVersion: connect with auth: { token, protocolVersion: ${protocolVersion} }; see docs/protocol.md.`,
    );
  const parsed = safeParse(handshake, socket.handshake.auth);
  if (!parsed.success) throw validationError(parsed.error);
  const { protocolVersion: version } = parsed.data;
  if (version > protocolVersion || version < oldestProtocolVersion) {
    throw new ParleyError(
      'VALIDATION_ERROR',
      `protocolVersion: this server speaks ${protocolVersion}, the client ${version}: update the older one.`,
    );
  }
  const session = await verifyToken(token);
  const own = channels.session(session.sessionId);
  const wallet = session.guest ? null : channels.wallet(session.wallet);
  if ((io.of('/').adapter.rooms.get(wallet ?? own)?.size ?? 0) >= maxConnectionsPerWallet) {
    const who = session.guest ? 'participant token' : 'wallet';
    throw new ParleyError('RATE_LIMIT_EXCEEDED', `This ${who} has too many connections: close some.`, {
      retryAfter: 10,
    });
  }
  const subnets = subnetsOf(addressOf(socket.request));
  socket.data = {
    session,
    token,
    subnets,
    peers: new Map(),
    scores: new Map(),
    latestEvent: 0,
    expiry: null,
  };
  await socket.join(wallet === null ? own : [wallet, own]);
  if (session.guest) return;
  // Read before the client is connected, so that every later event has a higher number.
  socket.data.latestEvent = await latestEvent(session.wallet);
}

function tokenOf({ handshake: { auth } }: ParleySocket): string {
  const { token } = auth as { token?: unknown };
  return typeof token === 'string' ? token : '';
}

/** Closes the connection of a wallet when its session expires, unless the session has been renewed by then. */
export function closeAtExpiry(socket: ParleySocket): void {
  const { data } = socket;
  // A guest may stay longer than its token can be used to enter.
  if (data.session.guest) return;
  if (data.expiry) clearTimeout(data.expiry);
  const msLeft = data.session.expiresAt.getTime() - Date.now();
  // setTimeout takes 31 bits. A longer session is checked again when the timer fires.
  data.expiry = setTimeout(
    () => {
      if (data.session.expiresAt.getTime() > Date.now()) return closeAtExpiry(socket);
      endConnection(socket, sessionExpired());
    },
    Math.min(Math.max(msLeft, 0), 2 ** 31 - 1),
  );
}

const sessionExpired = () =>
  new ParleyError('AUTHENTICATION_REQUIRED', 'The session has expired: sign in again.', {
    reason: 'token_expired',
  });

function endConnection(socket: ParleySocket, { message, reason }: ParleyError): void {
  socket.emit('session:ended', { code: 'AUTHENTICATION_REQUIRED', message, reason });
  socket.disconnect(true);
}
