import { toIso } from '../../sdk/protocol/common.ts';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import { closeAtExpiry } from './authenticate.ts';
import type { VerifyToken } from './RequestContext.ts';
import type { Handlers } from './Handlers.ts';
import { channels } from './Notifier.ts';

export function sessionHandlers(verifyToken: VerifyToken): Pick<Handlers, 'session.ping' | 'session.renew'> {
  return {
    'session.ping': () => Promise.resolve(),
    'session.renew': async (context, payload, socket) => {
      const session = await verifyToken(payload.token);
      if (session.wallet !== context.wallet) {
        throw new ParleyError(
          'ACCESS_DENIED',
          'This token belongs to another wallet: open a new connection for it.',
        );
      }
      if (session.network !== context.network) {
        throw new ParleyError(
          'ACCESS_DENIED',
          `This token is for the ${session.network}, but the connection is on the ${context.network}: open a new connection for it.`,
        );
      }
      const [before, after] = [channels.session(context.sessionId), channels.session(session.sessionId)];
      await socket.join(after);
      // The session may have ended before this connection could be notified.
      await verifyToken(payload.token);
      if (before !== after) await socket.leave(before);
      socket.data.session = session;
      socket.data.token = payload.token;
      closeAtExpiry(socket);
      return { expiresAt: toIso(session.expiresAt) };
    },
  };
}
