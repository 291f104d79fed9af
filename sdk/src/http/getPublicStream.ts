import { ParleyError } from '../../protocol/errors.ts';
import type { WireLiveStream } from '../../protocol/streaming.ts';
import { fromWire } from '../connection/fromWire.ts';
import type { LiveStream } from '../types.ts';

/**
 * Reads a stream as everybody may see it, without signing in. Who may watch its media depends on the stream: a private one needs
 * a viewer token, a gated one a wallet.
 * @param baseUrl the server's address; the page's origin by default
 * @throws ParleyError NOT_FOUND (there is no such stream), SERVICE_UNAVAILABLE (the server is starting or overloaded), NETWORK_ERROR
 */
export async function getPublicStream(
  streamId: string,
  { baseUrl = location.origin }: { baseUrl?: string } = {},
): Promise<LiveStream> {
  const response = await fetch(`${baseUrl}/watch/${encodeURIComponent(streamId)}/stream.json`).catch(
    (cause: unknown) => {
      throw new ParleyError(
        'NETWORK_ERROR',
        'The server cannot be reached. Check the connection and try again.',
        {
          cause,
        },
      );
    },
  );
  if (response.status === 404) throw new ParleyError('NOT_FOUND', 'There is no such stream.');
  if (!response.ok)
    throw new ParleyError('SERVICE_UNAVAILABLE', 'The server is not ready. Try again in a moment.');
  return fromWire((await response.json()) as WireLiveStream);
}
