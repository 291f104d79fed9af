import { Watching } from './Watching.ts';
import type { WatchedStream, WatchOptions } from './playerTypes.ts';

/**
 * Watches a stream, without a wallet unless a client is given: by WebRTC (WHEP), or by HLS where WebRTC does not get through. It connects
 * again after interruptions, waits while the stream is not live, and ends with the stream. HLS uses hls.js, which is loaded only then,
 * or the browser’s own player where hls.js does not work. Never throws: the state says why a stream cannot be watched.
 * @param options the stream, and the element that plays it
 * @returns the watched stream: its `state`, and stop()
 * @example
 * const watched = watchStream({ streamId: stream.id, baseUrl: 'https://calls.example.org', element: video });
 * watched.state.subscribe(() => console.log(watched.state.get().phase));
 */
export function watchStream(options: WatchOptions): WatchedStream {
  const { baseUrl = location.origin } = options;
  const watching = new Watching({ ...options, baseUrl: baseUrl.replace(/\/+$/, '') });
  void watching.retry();
  return watching;
}
