import { Router } from 'express';
import type { SubnetLimit } from '../../platform/limits/Limits.ts';
import { subnetsOf } from '../../platform/limits/subnets.ts';
import type { StreamWindow } from '../../signaling/streaming/StreamGateway.ts';
import { openToPages } from './webrtc/sdpHttp.ts';

/** How long an answer is reused. Pages without a session poll these routes, so the reuse limits the queries for each stream. */
const freshMs = 1_000;
const maxKept = 1_000;

interface ShowStreamsDeps {
  streams: StreamWindow;
  /** The limit on answers per network that have to be read. Reused answers are not counted, so many viewers may share a network. */
  limit: SubnetLimit;
}

/** GET /watch/<stream>/stream.json and chat.json: the state and the chat of a stream for pages without a session. */
export function showStreams({ streams, limit }: ShowStreamsDeps): Router {
  const router = Router();
  const offer = <T>(name: string, read: (streamId: string) => Promise<T>) => {
    const show = reused(read);
    router.get(`/watch/:streamId/${name}.json`, openToPages, async (request, response) => {
      const { streamId } = request.params as { streamId: string };
      const answer = show.kept(streamId);
      if (!answer) await limit.consume(subnetsOf(request.ip ?? ''));
      response.json(await (answer ?? show.read(streamId)));
    });
  };
  offer('stream', (streamId) => streams.show(streamId));
  offer('chat', (streamId) => streams.chat(streamId));
  return router;
}

/** Keeps answers for a second. An error is kept too. */
function reused<T>(read: (streamId: string) => Promise<T>) {
  const answers = new Map<string, { at: number; answer: Promise<T> }>();
  const kept = (streamId: string): Promise<T> | null => {
    const there = answers.get(streamId);
    return there && performance.now() - there.at < freshMs ? there.answer : null;
  };
  return {
    kept,
    read(streamId: string): Promise<T> {
      if (answers.size >= maxKept) answers.clear();
      // Another request may have read it while this one was counted.
      const there = kept(streamId);
      if (there) return there;
      const answer = read(streamId);
      answers.set(streamId, { at: performance.now(), answer });
      return answer;
    },
  };
}
