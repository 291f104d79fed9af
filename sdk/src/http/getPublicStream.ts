import { ParleyError } from '../../protocol/errors.ts';
import type { WireLiveStream } from '../../protocol/streaming.ts';
import { fromWire } from '../connection/fromWire.ts';
import type { LiveStream } from '../types.ts';

/**
 * Reads the public data of a stream, without signing in. Watching may need more: a viewer token for a private stream, and a wallet that
 * meets the gate for a gated one.
 * @param streamId the stream's id
 * @param options.baseUrl the server's URL. Default: the page's origin; required outside a browser
 * @returns the stream. Its `streamKey` is empty
 * @throws ParleyError NOT_FOUND: there is no such stream
 * @throws ParleyError SERVICE_UNAVAILABLE: the server is starting or overloaded
 * @throws ParleyError NETWORK_ERROR: the server did not answer
 * @example const { title, watchUrl } = await getPublicStream(stream.id, { baseUrl: 'https://calls.example.org' });
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
        { cause },
      );
    },
  );
  if (response.status === 404) throw new ParleyError('NOT_FOUND', 'No stream has this id: check the id.');
  if (!response.ok)
    throw new ParleyError('SERVICE_UNAVAILABLE', 'The server is not ready. Try again in a moment.');
  return fromWire((await response.json()) as WireLiveStream);
}
