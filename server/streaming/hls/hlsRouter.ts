import { Router, type Request, type RequestHandler, type Response } from 'express';
import { ParleyError } from '../../../sdk/protocol/errors.ts';
import type { Packaged } from '../../../media/Packaging.ts';
import type { SubnetLimit } from '../../../platform/limits/Limits.ts';
import type { StreamGateway } from '../../../signaling/streaming/StreamGateway.ts';
import { subnetsOf } from '../../../platform/limits/subnets.ts';
import type { PackagedStreams } from './PackagedStreams.ts';
import type { SignedPrefix } from './SignedPrefix.ts';
import type { ViewerSession, ViewerSessions } from './ViewerSessions.ts';
import { endedPlaylist, writeMaster, writeMedia } from './writePlaylist.ts';

interface HlsParts {
  gateway: StreamGateway;
  streams: PackagedStreams;
  sessions: ViewerSessions;
  signatures: SignedPrefix;
  /** How often an address begins to watch. */
  limit: SubnetLimit;
}

const playlistType = 'application/vnd.apple.mpegurl';
/** A segment is gone from here within a minute; a copy of it never changes. */
const fileSeconds = 3_600;

/** GET /hls/<playbackId>/index.m3u8, and what it leads to. */
export function hlsRouter({ gateway, streams, sessions, signatures, limit }: HlsParts): RequestHandler {
  const router = Router();
  router.use(anyPage);
  router.get('/:playbackId/index.m3u8', async (request, response) => {
    const { playbackId } = request.params;
    const subnets = subnetsOf(request.ip ?? '');
    await limit.consume(subnets);
    const admitted = await gateway.admit(playbackId, tokenOf(request), subnets);
    const packaged = await streams.begun(admitted.streamId);
    const session = sessions.begin(playbackId, admitted, packaged.discontinuitySequence);
    answerPlaylist(response, writeMaster(packaged, `live.m3u8?session=${session}`));
  });
  router.get('/:playbackId/live.m3u8', async (request, response) => {
    const { playbackId } = request.params;
    const session = sessions.read(playbackId, request.query.session);
    if (!session) throw new ParleyError('AUTHENTICATION_REQUIRED', 'Begin with index.m3u8: it leads here.');
    const { packaged, isEnded } = await packagedFor(session, sessions, streams);
    if (!packaged) return answerPlaylist(response, endedPlaylist);
    const folder = `${session.streamId}/${packaged.packageId}/`;
    // Counted from where this one began: hls.js takes a second for a playlist whose discontinuities are counted in millions.
    const discontinuitySequence = packaged.discontinuitySequence - session.discontinuities;
    const query = signatures.sign(prefixOf(playbackId, folder));
    const addressOf = (name: string) => `${folder}${name}?${query}`;
    answerPlaylist(response, writeMedia({ ...packaged, discontinuitySequence }, addressOf, isEnded));
  });
  router.get('/:playbackId/:streamId/:packageId/:name', async (request, response) => {
    const { playbackId, streamId, packageId, name } = request.params;
    const { expires, signature } = request.query;
    if (!signatures.isGood(prefixOf(playbackId, `${streamId}/${packageId}/`), expires, signature))
      throw new ParleyError('ACCESS_DENIED', 'The playlist has addresses that may be fetched.');
    const bytes = await streams.file(streamId, packageId, name);
    if (!bytes) throw new ParleyError('NOT_FOUND', 'This segment is not there any more.');
    response.set({
      'Content-Type': 'video/mp4',
      'Cache-Control': `public, max-age=${fileSeconds}, immutable`,
    });
    response.send(bytes);
  });
  return router;
}

/** What a viewer may fetch: of a stream that ended, what is left of it, so that its player comes to an end and reports no error. */
async function packagedFor(
  session: ViewerSession,
  sessions: ViewerSessions,
  streams: PackagedStreams,
): Promise<{ packaged: Packaged | null; isEnded: boolean }> {
  const { streamId } = session;
  try {
    await sessions.goOn(session);
    const packaged = await streams.playlist(streamId).catch(async (error: unknown) => {
      // Its media is gone: with the stream, or until its publisher is back.
      if (error instanceof ParleyError && error.code === 'NOT_FOUND') await sessions.goOn(session, true);
      throw error;
    });
    return { packaged, isEnded: false };
  } catch (error) {
    const isEnded = error instanceof ParleyError && error.code === 'CONFLICT';
    if (!isEnded) throw error;
    return { packaged: streams.last(streamId), isEnded };
  }
}

/** Players are on other sites: what they may fetch is said by tokens and signatures, not by where they are. */
const anyPage: RequestHandler = (request, response, next) => {
  response.set({
    'Access-Control-Allow-Origin': '*',
    'Cross-Origin-Resource-Policy': 'cross-origin',
    'Cache-Control': 'no-store',
  });
  if (request.method !== 'OPTIONS') return next();
  response.set({
    'Access-Control-Allow-Methods': 'GET, HEAD',
    'Access-Control-Allow-Headers': 'Authorization, Range',
    'Access-Control-Max-Age': '86400',
  });
  response.status(204).end();
};

function answerPlaylist(response: Response, text: string): void {
  response.set('Content-Type', playlistType);
  response.send(text);
}

const prefixOf = (playbackId: string, folder: string) => `${playbackId}/${folder}`;

/** @returns null where none was shown */
function tokenOf({ headers, query }: Request): string | null {
  const bearer = /^Bearer (\S+)$/i.exec(headers.authorization ?? '')?.[1];
  if (bearer) return bearer;
  return typeof query.token === 'string' && query.token !== '' ? query.token : null;
}
