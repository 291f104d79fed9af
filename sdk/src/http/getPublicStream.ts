import { ParleyError } from '../../protocol/errors.ts';
import type { WireLiveStream, WireStreamChat } from '../../protocol/streaming.ts';
import { fromWire } from '../connection/fromWire.ts';
import type { LiveStream, StreamChatMessage } from '../types.ts';
import { Deadline } from '../platform/abort.ts';

/** The maximum time until an answer has arrived. */
const limitMs = 10_000;

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
  const { status, body } = await read(baseUrl, streamId, 'stream');
  if (body === null) throw refusalOf(status);
  return fromWire(body as WireLiveStream);
}

/**
 * Reads the latest 100 messages of a stream's chat, without signing in. Only for a public stream without a gate. The server reads its chat at
 * most once per second, so poll no faster. To write, join as a wallet or guest and call client.streaming.sendChat().
 * @param streamId the stream's id
 * @param options.baseUrl the server's URL. Default: the page's origin; required outside a browser
 * @returns the messages, oldest first; none when the stream has ended
 * @throws ParleyError NOT_FOUND: there is no such stream
 * @throws ParleyError ACCESS_DENIED: the stream is private or has a gate
 * @throws ParleyError SERVICE_UNAVAILABLE: the server is starting or overloaded
 * @throws ParleyError NETWORK_ERROR: the server did not answer
 * @example const messages = await getStreamChat(stream.id, { baseUrl: 'https://calls.example.org' });
 */
export async function getStreamChat(
  streamId: string,
  { baseUrl = location.origin }: { baseUrl?: string } = {},
): Promise<StreamChatMessage[]> {
  const { status, body } = await read(baseUrl, streamId, 'chat');
  if (status === 403)
    throw new ParleyError('ACCESS_DENIED', 'Only viewers can read the chat of this stream: watch it first.', {
      reason: 'not_watching',
    });
  if (body === null) throw refusalOf(status);
  return fromWire(body as WireStreamChat[]);
}

/** @returns the status, and what was read; null if it was refused */
async function read(
  baseUrl: string,
  streamId: string,
  name: string,
): Promise<{ status: number; body: unknown }> {
  const deadline = new Deadline(limitMs);
  try {
    const url = `${baseUrl}/watch/${encodeURIComponent(streamId)}/${name}.json`;
    const response = await fetch(url, { signal: deadline.signal });
    const { ok, status } = response;
    return { status, body: ok ? await response.json() : null };
  } catch (cause) {
    const message = 'The server cannot be reached. Check the connection and try again.';
    throw new ParleyError('NETWORK_ERROR', message, { cause });
  } finally {
    deadline.end();
  }
}

function refusalOf(status: number): ParleyError {
  if (status === 404) return new ParleyError('NOT_FOUND', 'No stream has this id: check the id.');
  return new ParleyError('SERVICE_UNAVAILABLE', 'The server is not ready. Try again in a moment.');
}
