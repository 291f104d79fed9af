import type { Request } from 'express';
import { z } from 'zod';
import { nothing, type Address } from '../../sdk/protocol/common.ts';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import * as schemas from '../../sdk/protocol/files.ts';
import type { Principal } from '../http/Principal.ts';
import { RawAnswer } from '../http/RawAnswer.ts';
import { route, type Route } from '../http/Route.ts';
import { sessionOf } from '../http/signedIn.ts';
import type { Addresses } from './addresses.ts';
import { noSuchFile, replaced, type FileService } from './FileService.ts';
import type { ObjectStorage } from './ObjectStorage.ts';
import { serveFile } from './serveFile.ts';
import type { Uploads } from './Uploads.ts';
import { noSuch } from '../http/refusals.ts';

/** The services for files. */
export interface FileServices {
  files: FileService;
  uploads: Uploads;
  addresses: Addresses;
  /** The storage of the bytes. */
  storage: ObjectStorage;
}

export function fileRoutes(services: FileServices | null): Route[] {
  return [...wholeFileRoutes(services), ...uploadRoutes(services)];
}

function wholeFileRoutes(services: FileServices | null): Route[] {
  return [
    route({
      credential: 'session',
      limit: 'uploads',
      stream: true,
      method: 'post',
      path: '/media',
      summary:
        'Uploads an image, video or audio file, or any file as a document, sent as the request body. Use /media/uploads for uploads that can be resumed.',
      query: schemas.uploadQuery,
      response: schemas.mediaInfo,
      status: 201,
      handle: services
        ? ({ principal, query, request }) => uploadWhole(services, principal, request, query)
        : null,
    }),
    route({
      credential: 'optional',
      limit: 'downloads',
      method: 'get',
      path: '/media/:id',
      summary: 'Downloads a file by its signed URL, or as its sender or recipient. Supports ranges.',
      params: schemas.fileParams,
      query: schemas.fileQuery,
      response: z.unknown(),
      otherStatuses: {
        206: 'The part of the file that `Range` asks for.',
        304: 'The file is the one in `If-None-Match`.',
        416: '`Range` begins after the end of the file, whose size is in `Content-Range`.',
      },
      handle: services
        ? async ({ principal, params, query, request }) => {
            const { file, seconds } = await permitted(services, principal, params.id, query);
            const thumbnail = query.thumbnail !== undefined;
            if (thumbnail && file.thumbnailKey === null)
              throw noSuch('thumbnail', 'This file has no thumbnail. Request it without thumbnail.');
            return serveFile(request, file, { thumbnail, seconds }, services.files);
          }
        : null,
    }),
  ];
}

/** tus 1.0 (tus.io): the core protocol, creation and termination. */
function uploadRoutes(services: FileServices | null): Route[] {
  const facts = { credential: 'session', limit: 'uploads' } as const;
  const one = { ...facts, path: '/media/uploads/:id', params: schemas.fileParams };
  return [
    route({
      ...facts,
      method: 'post',
      path: '/media/uploads',
      summary:
        'Starts an upload that can be resumed (tus 1.0), with Upload-Length, and with filename, and `as` for a document, in Upload-Metadata.',
      response: schemas.upload,
      status: 201,
      handle: services
        ? async ({ principal, request }) => {
            const row = await services.uploads.begin(walletOf(principal), announced(request));
            // The path may end with a slash: many tus clients are set up so.
            const path = request.originalUrl.split('?')[0]?.replace(/\/+$/, '');
            const location = `${path}/${row.id}`;
            return answer(201, row.received, services.files.describeUpload(row), { Location: location });
          }
        : null,
    }),
    route({
      ...one,
      method: 'get',
      summary: 'Reads the offset of an upload (also by HEAD), and its file once it is ready.',
      response: schemas.upload,
      handle: services
        ? async ({ principal, params }) => {
            const { files } = services;
            const row = await files.uploadOf(walletOf(principal), params.id);
            // Also by HEAD: a client whose last answer was lost asks for nothing more once the offset is the size.
            const media = row.received === row.size ? await files.finish(row.id) : null;
            const described = files.describeUpload(row);
            const { offset, size } = described;
            const length = { 'Upload-Length': size ?? 0 };
            return answer(200, offset, { ...described, media: media ?? described.media }, length);
          }
        : null,
    }),
    route({
      ...one,
      stream: true,
      method: 'patch',
      summary:
        'Continues an upload at Upload-Offset with the bytes in the body (application/offset+octet-stream).',
      response: nothing,
      status: 204,
      handle: services
        ? async ({ principal, params, request }) => {
            const { files, uploads } = services;
            const row = await files.uploadOf(walletOf(principal), params.id);
            const offset = await uploads.receive(row, offsetOf(request), request);
            // The file is finished here, so that the client gets an error immediately if it is refused.
            if (offset === row.size) await files.finish(row.id);
            return answer(204, offset, null);
          }
        : null,
    }),
    route({
      ...one,
      method: 'delete',
      summary: 'Deletes an upload, or a file that nothing uses.',
      response: nothing,
      status: 204,
      handle: services
        ? async ({ principal, params }) => {
            await services.files.abandon(walletOf(principal), params.id);
            return answer(204, null, null);
          }
        : null,
    }),
  ];
}

async function uploadWhole(
  { uploads, files }: FileServices,
  principal: Principal | null,
  request: Request,
  { name, as }: z.output<typeof schemas.uploadQuery>,
): Promise<schemas.WireMediaInfo> {
  const wallet = walletOf(principal);
  if (request.is('multipart/form-data'))
    throw new ParleyError('VALIDATION_ERROR', 'Send the file itself as the body, and not in a form.', {
      reason: 'unsupported_media_type',
    });
  const { 'content-length': length } = request.headers;
  const row = await uploads.begin(wallet, { name, as, size: length === undefined ? null : Number(length) });
  try {
    const received = await uploads.receive(row, 0, request);
    if (received === 0)
      throw new ParleyError('VALIDATION_ERROR', 'The file is empty. Choose a file with content.');
    const media = await files.finishReceived(row.id);
    return media;
  } catch (error) {
    // The upload is deleted, because the client does not know its id and cannot resume it.
    await files.abandon(wallet, row.id).catch(() => undefined);
    throw error;
  }
}

async function permitted(
  { files, addresses }: FileServices,
  principal: Principal | null,
  fileId: string,
  { expires, signature }: z.output<typeof schemas.fileQuery>,
) {
  if (expires !== undefined && signature !== undefined) {
    const file = await files.find(fileId);
    const seconds = addresses.secondsLeft(file, { expires, signature });
    // This URL was signed before the upload was converted for a voicemail. If the recipient has blocked the sender, the upload was deleted
    // instead, which the sender must not notice. So the answer is the same as for a deleted file.
    if (seconds === null && file.objectKey.startsWith(replaced)) throw noSuchFile();
    if (seconds === null)
      throw new ParleyError(
        'ACCESS_DENIED',
        'The signature of this URL is wrong. Load the message again for a new URL.',
      );
    if (seconds === 0)
      throw new ParleyError('ACCESS_DENIED', 'This URL has expired. Load the message again for a new URL.');
    return { file, seconds };
  }
  if (principal === null) {
    throw new ParleyError(
      'AUTHENTICATION_REQUIRED',
      'Use the signed URL, or send Authorization: Bearer with a session.',
      {
        reason: 'missing_credentials',
      },
    );
  }
  if (principal.kind !== 'session') {
    const message = 'An API key cannot do this, because it has no wallet. Use a session.';
    throw new ParleyError('ACCESS_DENIED', message, { reason: 'session_required' });
  }
  return { file: await files.visibleTo(walletOf(principal), fileId), seconds: 0 };
}

function walletOf(principal: Principal | null): Address {
  const { wallet } = sessionOf(principal);
  if (wallet) return wallet;
  throw new ParleyError('ACCESS_DENIED', 'Files are sent between wallets. Link a wallet to this account.');
}

function answer(
  status: number,
  offset: number | null,
  body: object | null,
  headers: Record<string, string | number> = {},
) {
  const place = offset === null ? {} : { 'Upload-Offset': offset };
  return new RawAnswer(status, { 'Tus-Resumable': '1.0.0', ...place, ...headers }, body);
}

const wholeNumber = (text: string | string[] | undefined) =>
  typeof text === 'string' && /^\d{1,12}$/.test(text) ? Number(text) : null;

function announced({ headers }: Request) {
  const size = wholeNumber(headers['upload-length']);
  if (size === null)
    throw new ParleyError(
      'VALIDATION_ERROR',
      'Upload-Length is missing or not a number. Send the size of the file in bytes.',
    );
  const metadata = String(headers['upload-metadata'] ?? '');
  const [, encoded] = /(?:^|,)\s*filename ([A-Za-z0-9+/=]{0,1400})/.exec(metadata) ?? [];
  const name = encoded === undefined ? undefined : Buffer.from(encoded, 'base64').toString();
  // "ZmlsZQ==" is "file", as metadata are encoded.
  const as = /(?:^|,)\s*as ZmlsZQ==(?:,|$)/.test(metadata) ? ('file' as const) : undefined;
  return { size, name, as };
}

function offsetOf(request: Request): number {
  if (!request.is('application/offset+octet-stream')) {
    throw new ParleyError('VALIDATION_ERROR', 'Send the body as application/offset+octet-stream.', {
      reason: 'unsupported_media_type',
    });
  }
  const offset = wholeNumber(request.headers['upload-offset']);
  if (offset === null)
    throw new ParleyError(
      'VALIDATION_ERROR',
      'Upload-Offset is missing or not a number. Send the offset of these bytes.',
    );
  return offset;
}
