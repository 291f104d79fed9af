import { toIso } from '../sdk/protocol/common.ts';
import { ParleyError } from '../sdk/protocol/errors.ts';
import { closeAtExpiry } from './authenticate.ts';
import type { VerifyToken } from './Caller.ts';
import { defineHandler, type Handler } from './defineHandler.ts';
import { rooms } from './Notifier.ts';

export function sessionHandlers(verifyToken: VerifyToken): Handler[] {
  return [
    defineHandler('session.ping', () => Promise.resolve({})),
    defineHandler('session.renew', async ({ caller, socket, payload }) => {
      const session = await verifyToken(payload.token);
      if (session.wallet !== caller.wallet) {
        throw new ParleyError(
          'ACCESS_DENIED',
          'This token is another wallet’s: open a connection of its own.',
        );
      }
      await socket.leave(rooms.session(caller.sessionId));
      await socket.join(rooms.session(session.sessionId));
      socket.data.session = session;
      closeAtExpiry(socket);
      return { expiresAt: toIso(session.expiresAt) };
    }),
  ];
}
