import { toIso } from '../../sdk/protocol/common.ts';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import { closeAtExpiry } from './authenticate.ts';
import type { VerifyToken } from './RequestContext.ts';
import { defineHandler, type Handler } from './defineHandler.ts';
import { channels } from './Notifier.ts';

export function sessionHandlers(verifyToken: VerifyToken): Handler[] {
  return [
    defineHandler('session.ping', () => Promise.resolve({})),
    defineHandler('session.renew', async ({ context, socket, payload }) => {
      const session = await verifyToken(payload.token);
      if (session.wallet !== context.wallet) {
        throw new ParleyError(
          'ACCESS_DENIED',
          'This token is another wallet’s: open a connection of its own.',
        );
      }
      if (session.network !== context.network) {
        throw new ParleyError(
          'ACCESS_DENIED',
          `This token is of the ${session.network}, the connection of the ${context.network}: open a connection of its own.`,
        );
      }
      const [before, after] = [channels.session(context.sessionId), channels.session(session.sessionId)];
      await socket.join(after);
      // It may have ended before this connection could be told.
      await verifyToken(payload.token);
      if (before !== after) await socket.leave(before);
      socket.data.session = session;
      socket.data.token = payload.token;
      closeAtExpiry(socket);
      return { expiresAt: toIso(session.expiresAt) };
    }),
  ];
}
