import { newId } from '../../protocol/ids.ts';
import type { Connection } from './Connection.ts';
import { isWorthRepeating, retryTransient } from './transient.ts';

/** How long a chat message is sent again. */
const repeatMs = 20_000;

/**
 * Sends a chat message. If its answer is lost, or the server is too busy, sends it again. It is stored once.
 * @param send sends the request, with the id of the message if the server takes one
 * @throws ParleyError as `send`
 */
export async function sendChat<T>(
  connection: Pick<Connection, 'welcome'>,
  send: (identified: { id?: string }) => Promise<T>,
): Promise<T> {
  const { takesChatIds } = await connection.welcome();
  if (!takesChatIds) return send({});
  const [identified, until] = [{ id: newId('msg') }, Date.now() + repeatMs];
  return retryTransient(
    () => send(identified),
    () => Date.now() < until,
    isWorthRepeating,
  );
}
