import { fileTypeFromFile } from 'file-type';
import { ParleyError } from '../../sdk/protocol/errors.ts';

/** What sharp calls a picture, and what it is stored as. */
export interface ImageType {
  kind: 'image';
  /** As sharp names what it reads; what is not that is no picture of this type. */
  format: 'jpeg' | 'png' | 'gif' | 'webp' | 'heif';
  output: 'jpeg' | 'png' | 'gif' | 'webp';
}

/** A container of sound or moving pictures, by the names ffmpeg has for reading and writing it. */
export interface ContainerType {
  kind: 'recording';
  demuxer: string;
  /** Null where the container is for sound alone. */
  video: { muxer: string; mimeType: string; extensions: string[] } | null;
  audio: { muxer: string; mimeType: string; extensions: string[] };
}

export type FileType = ImageType | ContainerType;

const image = (format: ImageType['format'], output: ImageType['output']): ImageType => ({
  kind: 'image',
  format,
  output,
});
const sound = (demuxer: string, muxer: string, mimeType: string, ...extensions: string[]): ContainerType => ({
  kind: 'recording',
  demuxer,
  video: null,
  audio: { muxer, mimeType, extensions },
});
/** QuickTime, MP4 and their relatives are one format; what comes out is MP4. */
export const mp4: ContainerType = {
  kind: 'recording',
  demuxer: 'mov',
  video: { muxer: 'mp4', mimeType: 'video/mp4', extensions: ['mp4', 'm4v'] },
  audio: { muxer: 'mp4', mimeType: 'audio/mp4', extensions: ['m4a', 'mp4'] },
};
export const webm: ContainerType = {
  kind: 'recording',
  demuxer: 'matroska',
  video: { muxer: 'webm', mimeType: 'video/webm', extensions: ['webm'] },
  audio: { muxer: 'webm', mimeType: 'audio/webm', extensions: ['webm', 'weba'] },
};

/** By the name the content's first bytes give it. No SVG, no HTML: they are programs. */
const types: Record<string, FileType> = {
  'image/jpeg': image('jpeg', 'jpeg'),
  'image/png': image('png', 'png'),
  'image/apng': image('png', 'png'),
  'image/gif': image('gif', 'gif'),
  'image/webp': image('webp', 'webp'),
  // Every browser shows WebP, and it is encoded in a fraction of the time.
  'image/avif': image('heif', 'webp'),
  'video/mp4': mp4,
  'video/x-m4v': mp4,
  'video/quicktime': mp4,
  'video/3gpp': mp4,
  'audio/mp4': mp4,
  'audio/x-m4a': mp4,
  'video/webm': webm,
  'audio/webm': webm,
  'audio/mpeg': sound('mp3', 'mp3', 'audio/mpeg', 'mp3'),
  'audio/ogg': sound('ogg', 'ogg', 'audio/ogg', 'ogg', 'oga', 'opus'),
  'audio/wav': sound('wav', 'wav', 'audio/wav', 'wav'),
  'audio/flac': sound('flac', 'flac', 'audio/flac', 'flac'),
  'audio/aac': sound('aac', 'adts', 'audio/aac', 'aac'),
};

export const imageExtensions: Record<ImageType['output'], string[]> = {
  jpeg: ['jpg', 'jpeg'],
  png: ['png'],
  gif: ['gif'],
  webp: ['webp'],
};

export const unsupported = (what: string) =>
  new ParleyError('VALIDATION_ERROR', `Send a picture, video or sound: ${what}.`, {
    reason: 'unsupported_media_type',
  });

/** What a file is by its content; what it is called, and what its sender says, plays no part. @throws ParleyError 415 */
export async function typeOf(path: string): Promise<FileType> {
  const found = await fileTypeFromFile(path).catch(() => undefined);
  const [name = ''] = (found?.mime ?? '').replace('x-flac', 'flac').split(';');
  const type = types[name];
  if (type) return type;
  throw unsupported(found ? `this is ${name}, which is not taken` : 'what this is can’t be told');
}
