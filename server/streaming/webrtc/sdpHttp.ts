import express, { type Request, type RequestHandler, type Response } from 'express';
import { parseIceFragment } from '../../../media/sdp/iceFragment.ts';
import { ParleyError } from '../../../sdk/protocol/errors.ts';
import type { IceServers } from '../../../sdk/protocol/media.ts';
import { isAny, isPresent, type BegunSession, type WebrtcSessions } from './WebrtcSessions.ts';
import type { SessionRow } from './tables.ts';

/** The HTTP parts that WHIP (RFC 9725) and WHEP share. */

const sdp = 'application/sdp';
const fragment = 'application/trickle-ice-sdpfrag';

/** Reads a body as text. An offer with all codecs and candidates has a tenth of the maximum size. */
const readText = express.text({ type: () => true, limit: '64kb', inflate: false, defaultCharset: 'utf-8' });

/** Allows pages of every site: access requires a key or a token, which no browser adds by itself. */
export const openToPages: RequestHandler = (_request, response, next) => {
  response.set({
    'Access-Control-Allow-Origin': '*',
    'Access-Control-Expose-Headers':
      'Location, ETag, Link, Accept-Post, Accept-Patch, Retry-After, WWW-Authenticate, X-Request-Id',
    'Cache-Control': 'no-store',
  });
  next();
};

/** Answers OPTIONS, including CORS preflight requests. */
export const answerOptions =
  (methods: string, accepts: 'Accept-Post' | 'Accept-Patch'): RequestHandler =>
  (_request, response) => {
    response.set({
      Allow: methods,
      'Access-Control-Allow-Methods': methods,
      'Access-Control-Allow-Headers': 'Authorization, Content-Type, If-Match',
      'Access-Control-Max-Age': '600',
      [accepts]: accepts === 'Accept-Post' ? sdp : fragment,
    });
    response.status(204).end();
  };

export const refuseMethod =
  (methods: string): RequestHandler =>
  (request, response) => {
    response.set('Allow', methods);
    throw new ParleyError(
      'VALIDATION_ERROR',
      `${request.method} is not allowed here. Use one of: ${methods}.`,
      {
        reason: 'method_not_allowed',
      },
    );
  };

/**
 * Reads the body of a POST.
 * @throws ParleyError VALIDATION_ERROR `unsupported_media_type`
 */
export const readOffer = (request: Request, response: Response): Promise<string> =>
  readBody(request, response, sdp);

async function readBody(request: Request, response: Response, type: string): Promise<string> {
  const given = (request.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase();
  if (given !== type) {
    throw new ParleyError('VALIDATION_ERROR', `Send the body as ${type}.`, {
      reason: 'unsupported_media_type',
    });
  }
  await new Promise<void>((resolve, reject) => {
    readText(request, response, (error?: unknown) => {
      // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- the error handler answers any value that Express throws
      if (error) reject(error);
      else resolve();
    });
  });
  // A missing body is read as empty text, so that the parser reports it.
  return typeof request.body === 'string' ? request.body : '';
}

/** The token of the header `Authorization: Bearer`. */
export function bearerOf({ headers }: Request): string | null {
  const [, token] = /^Bearer +([\x21-\x7e]{1,1000})$/i.exec(headers.authorization ?? '') ?? [];
  return token ?? null;
}

export function answerBegun(
  response: Response,
  location: string,
  { etag, answer }: BegunSession,
  iceServers: IceServers,
): void {
  response.set({ Location: location, ETag: `"${etag}"`, 'Accept-Patch': fragment });
  const links = iceServers.flatMap(({ urls, username, credential }) =>
    urls.map((url) => linkTo(url, username, credential)),
  );
  if (links.length > 0) response.set('Link', links);
  send(response.status(201), sdp, answer);
}

/** Neither media type has parameters (RFC 8866, RFC 8840), but Express would add a charset. */
function send(response: Response, type: string, body: string): void {
  response.setHeader('Content-Type', type);
  response.end(body);
}

function linkTo(url: string, username?: string, credential?: string): string {
  const login =
    username && credential
      ? `; username="${username}"; credential="${credential}"; credential-type="password"`
      : '';
  return `<${url}>; rel="ice-server"${login}`;
}

/** Handles PATCH: either candidates of the client, which an ICE-lite server ignores, or an ICE restart. */
export const patchSession =
  (kind: SessionRow['kind'], sessions: WebrtcSessions): RequestHandler<{ sessionId: string }> =>
  async (request, response) => {
    const text = await readBody(request as Request, response, fragment);
    const ifMatch = request.headers['if-match'];
    const row = await sessions.check(kind, request.params.sessionId, ifMatch);
    const { usernameFragment } = parseIceFragment(text);
    // Some clients send candidates with `*`, for example the players of MediaMTX. A restart has another user name fragment (RFC 8839).
    if (!isAny(ifMatch ?? '') || (usernameFragment !== null && isPresent(row, usernameFragment))) {
      response.status(204).end();
      return;
    }
    if (usernameFragment === null) {
      throw new ParleyError(
        'VALIDATION_ERROR',
        'The fragment has no a=ice-ufrag. Send the one of the new ICE session.',
        {
          reason: 'invalid_request',
        },
      );
    }
    const restarted = await sessions.restartIce(row, usernameFragment);
    send(response.set('ETag', `"${restarted.etag}"`).status(200), fragment, restarted.fragment);
  };

export const deleteSession =
  (kind: SessionRow['kind'], sessions: WebrtcSessions): RequestHandler<{ sessionId: string }> =>
  async (request, response) => {
    await sessions.delete(kind, request.params.sessionId);
    response.status(200).end();
  };
