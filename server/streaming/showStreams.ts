import { Router } from 'express';
import type { WireLiveStream } from '../../sdk/protocol/streaming.ts';
import type { StreamWindow } from '../../signaling/streaming/StreamGateway.ts';
import { openToPages } from './webrtc/sdpHttp.ts';

/** How long an answer is reused. Pages without a session poll this route, so the reuse limits the queries for each stream. */
const freshMs = 1_000;
const maxKept = 1_000;

/** GET /watch/<stream>/stream.json: the state of a stream for pages without a session. */
export function showStreams(streams: StreamWindow): Router {
  const shown = new Map<string, { at: number; stream: Promise<WireLiveStream> }>();
  const show = (id: string): Promise<WireLiveStream> => {
    const there = shown.get(id);
    if (there && Date.now() - there.at < freshMs) return there.stream;
    if (shown.size >= maxKept) shown.clear();
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
