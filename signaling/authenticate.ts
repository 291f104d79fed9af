import { z } from 'zod';
import { ParleyError } from '../sdk/protocol/errors.ts';
import { handshake } from '../sdk/protocol/session.ts';
import { oldestProtocolVersion, protocolVersion } from '../sdk/protocol/version.ts';
import type { ParleyServer, ParleySocket, VerifyToken } from './Caller.ts';
import { toErrorBody } from './errors.ts';
import { newId } from '../sdk/protocol/ids.ts';
import { rooms } from './Notifier.ts';

/** Nobody gets a connection without a session; why not is in the `connect_error`'s data, as an ErrorBody. */
export function authenticate(io: ParleyServer, verifyToken: VerifyToken): void {
  io.use((socket, next) => {
    admit(socket, verifyToken).then(
      () => next(),
      (error: unknown) => {
        const body = toErrorBody(error, newId('req'));
        next(Object.assign(new Error(body.message), { data: body }));
      },
    );
  });
}

async function admit(socket: ParleySocket, verifyToken: VerifyToken): Promise<void> {
  const parsed = z.safeParse(handshake, socket.handshake.auth);
  if (!parsed.success) {
    throw new ParleyError(
      'AUTHENTICATION_REQUIRED',
      'The handshake carries a token and the protocol version.',
    );
  }
  const { token, protocolVersion: version } = parsed.data;
  if (version > protocolVersion || version < oldestProtocolVersion) {
    throw new ParleyError(
      'VALIDATION_ERROR',
      `This server speaks version ${protocolVersion} of the protocol, the client ${version}: update the older one.`,
    );
  }
  const session = await verifyToken(token);
  socket.data = { session, peers: new Map(), expiry: null };
  await socket.join([rooms.wallet(session.wallet), rooms.session(session.sessionId)]);
}

/** Closes the connection when its session expires, unless it is renewed before. */
export function closeAtExpiry(socket: ParleySocket): void {
  const { data } = socket;
  if (data.expiry) clearTimeout(data.expiry);
  const msLeft = data.session.expiresAt.getTime() - Date.now();
  // setTimeout takes 31 bits; a longer session is looked at again then.
  data.expiry = setTimeout(
    () => {
      if (data.session.expiresAt.getTime() > Date.now()) return closeAtExpiry(socket);
      socket.emit('session:ended', {
        code: 'AUTHENTICATION_REQUIRED',
        message: 'The session has expired: sign in again.',
      });
      socket.disconnect(true);
    },
    Math.min(Math.max(msLeft, 0), 2 ** 31 - 1),
  );
}
