import { Router, type Request, type RequestHandler, type Response } from 'express';
import { ParleyError } from '../../../sdk/protocol/errors.ts';
import type { Packaged } from '../../../media/Packaging.ts';
import type { SubnetLimit } from '../../../platform/limits/Limits.ts';
import type { StreamGateway } from '../../../signaling/streaming/StreamGateway.ts';
import { subnetsOf } from '../../../platform/limits/subnets.ts';
import { openToPages } from '../webrtc/sdpHttp.ts';
import type { PackagedStreams } from './PackagedStreams.ts';
import type { SignedPrefix } from './SignedPrefix.ts';
import type { ViewerSession, ViewerSessions } from './ViewerSessions.ts';
import { endedPlaylist, writeMaster, writeMedia } from './writePlaylist.ts';

interface HlsParts {
  gateway: StreamGateway;
  streams: PackagedStreams;
  sessions: ViewerSessions;
  signatures: SignedPrefix;
  /** The limit on new viewers per network. */
  limit: SubnetLimit;
}

const playlistType = 'application/vnd.apple.mpegurl';
/**
 * How long browsers and CDNs may cache a segment. This server deletes a segment soon after it has left the playlist, but a copy of it never
 * becomes outdated.
 */
const fileSeconds = 3_600;

/** GET /hls/<playbackId>/index.m3u8, and the playlists and segments it leads to. */
export function hlsRouter({ gateway, streams, sessions, signatures, limit }: HlsParts): RequestHandler {
  const router = Router();
  router.use(openToPages, anyPage);
  router.get('/:playbackId/index.m3u8', async (request, response) => {
    const { playbackId } = request.params;
    const subnets = subnetsOf(request.ip ?? '');
    await limit.consume(subnets);
    const token = tokenOf(request);
    const admitted = await gateway.admit(playbackId, token, subnets);
    const packaged = await streams.begun(admitted.streamId).catch((error: unknown) => {
      if (!(error instanceof ParleyError && error.code === 'NOT_FOUND')) throw error;
      throw new ParleyError('NOT_FOUND', 'The stream has not begun yet: try again when it is live.', {
        cause: error,
      });
    });
    const session = sessions.begin(playbackId, admitted, packaged.discontinuitySequence);
    // The token is not in the session, because nodes of the version before read no session with another field.
    const query = `session=${session}${token === null ? '' : `&token=${encodeURIComponent(token)}`}`;
    answerPlaylist(response, writeMaster(packaged, `live.m3u8?${query}`));
  });
  router.get('/:playbackId/live.m3u8', async (request, response) => {
    const { playbackId } = request.params;
    const session = sessions.read(playbackId, request.query.session);
    if (!session)
      throw new ParleyError(
        'AUTHENTICATION_REQUIRED',
        'The session is missing or invalid. Start with index.m3u8, which leads here.',
      );
    const { packaged, isEnded } = await packagedFor(session, tokenOf(request), sessions, streams);
    if (!packaged) return answerPlaylist(response, endedPlaylist);
    const folder = `${session.streamId}/${packaged.packageId}/`;
    // Counted from the start of the session, because hls.js takes a second to process a playlist whose discontinuity sequence is in the
    // millions.
    const discontinuitySequence = packaged.discontinuitySequence - session.discontinuities;
    const query = signatures.sign(prefixOf(playbackId, folder));
    const addressOf = (name: string) => `${folder}${name}?${query}`;
    answerPlaylist(response, writeMedia({ ...packaged, discontinuitySequence }, addressOf, isEnded));
  });
  router.get('/:playbackId/:streamId/:packageId/:name', async (request, response) => {
    const { playbackId, streamId, packageId, name } = request.params;
    const { expires, signature } = request.query;
    if (!signatures.isValid(prefixOf(playbackId, `${streamId}/${packageId}/`), expires, signature))
      throw new ParleyError(
        'ACCESS_DENIED',
        'The signature is missing, wrong or expired. Fetch the playlist again and use its URLs.',
      );
    const bytes = await streams.file(streamId, packageId, name);
    if (!bytes) throw new ParleyError('NOT_FOUND', 'This segment was deleted. Fetch the playlist again.');
    response.set({
      'Content-Type': 'video/mp2t',
      'Cache-Control': `public, max-age=${fileSeconds}, immutable`,
    });
    response.send(bytes);
  });
  return router;
}

/** The segments for a viewer. For an ended stream these are the remaining ones, so that the player reaches the end without an error. */
async function packagedFor(
  session: ViewerSession,
  token: string | null,
  sessions: ViewerSessions,
  streams: PackagedStreams,
): Promise<{ packaged: Packaged | null; isEnded: boolean }> {
  const { streamId } = session;
  try {
    await sessions.renew(session, token);
    const packaged = await streams.playlist(streamId).catch(async (error: unknown) => {
      // The media is gone either because the stream has ended, in which case the gateway refuses this report, or because its publisher is
      // away.
      if (error instanceof ParleyError && error.code === 'NOT_FOUND')
        await sessions.renew(session, token, true);
      throw error;
    });
    return { packaged, isEnded: false };
  } catch (error) {
    const isEnded = error instanceof ParleyError && error.code === 'CONFLICT';
    if (!isEnded) throw error;
    return { packaged: streams.last(streamId), isEnded };
  }
}

/** Allows pages of every site, because tokens and signatures control access. */
const anyPage: RequestHandler = (request, response, next) => {
  response.set('Cross-Origin-Resource-Policy', 'cross-origin');
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

/** @returns null if the request has no token */
function tokenOf({ headers, query }: Request): string | null {
  const bearer = /^Bearer (\S+)$/i.exec(headers.authorization ?? '')?.[1];
  if (bearer) return bearer;
  return typeof query.token === 'string' && query.token !== '' ? query.token : null;
}
