import { Router } from 'express';
import type { WireLiveStream } from '../../sdk/protocol/streaming.ts';
import type { StreamWindow } from '../../signaling/streaming/StreamGateway.ts';
import { openToPages } from './webrtc/sdpHttp.ts';

/** Pages of viewers without a session ask again and again: the database is asked so often for each stream. */
const freshMs = 1_000;
const mostKept = 1_000;

/** GET /watch/<stream>/stream.json: what a page shows of a stream to somebody who is not signed in. */
export function showStreams(streams: StreamWindow): Router {
  const shown = new Map<string, { at: number; stream: Promise<WireLiveStream> }>();
  const show = (id: string): Promise<WireLiveStream> => {
    const there = shown.get(id);
    if (there && Date.now() - there.at < freshMs) return there.stream;
    if (shown.size >= mostKept) shown.clear();
    const stream = streams.show(id);
    shown.set(id, { at: Date.now(), stream });
    return stream;
  };
  const router = Router();
  router.get('/watch/:streamId/stream.json', openToPages, async (request, response) => {
    response.json(await show((request.params as { streamId: string }).streamId));
  });
  return router;
}
