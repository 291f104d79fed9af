import { isUtf8 } from 'node:buffer';
import { readFile } from 'node:fs/promises';
import { fileTypeFromFile } from 'file-type';
import { isOutage } from '../../platform/errors.ts';
import { ParleyError } from '../../sdk/protocol/errors.ts';

/** An image format: how sharp reads it, and how it is stored. */
export interface ImageType {
  kind: 'image';
  /** The format that sharp must find in the file. Otherwise the file is refused. */
  format: 'jpeg' | 'png' | 'gif' | 'webp' | 'heif';
  output: 'jpeg' | 'png' | 'gif' | 'webp';
}

/** A container for audio or video, with ffmpeg's names for reading and writing it. */
export interface ContainerType {
  kind: 'recording';
  demuxer: string;
  /** Null if the container holds only audio. */
  video: { muxer: string; mimeType: string; extensions: string[] } | null;
  audio: { muxer: string; mimeType: string; extensions: string[] };
}

export type FileType = ImageType | ContainerType;

const image = (format: ImageType['format'], output: ImageType['output']): ImageType => ({
  kind: 'image',
  format,
  output,
});
const audio = (demuxer: string, muxer: string, mimeType: string, ...extensions: string[]): ContainerType => ({
  kind: 'recording',
  demuxer,
  video: null,
  audio: { muxer, mimeType, extensions },
});
/** QuickTime, MP4 and related formats, which are all read in the same way and stored as MP4. */
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

/** The types by MIME type, as detected from the first bytes. SVG and HTML are not supported because they can hold scripts. */
const types: Record<string, FileType> = {
  'image/jpeg': image('jpeg', 'jpeg'),
  'image/png': image('png', 'png'),
  'image/apng': image('png', 'png'),
  'image/gif': image('gif', 'gif'),
  'image/webp': image('webp', 'webp'),
  // AVIF is stored as WebP, which every browser shows and which is much faster to encode.
  'image/avif': image('heif', 'webp'),
  'video/mp4': mp4,
  'video/x-m4v': mp4,
  'video/quicktime': mp4,
  'video/3gpp': mp4,
  'audio/mp4': mp4,
  'audio/x-m4a': mp4,
  'video/webm': webm,
  'audio/webm': webm,
  'audio/mpeg': audio('mp3', 'mp3', 'audio/mpeg', 'mp3'),
  'audio/ogg': audio('ogg', 'ogg', 'audio/ogg', 'ogg', 'oga', 'opus'),
  'audio/wav': audio('wav', 'wav', 'audio/wav', 'wav'),
  'audio/flac': audio('flac', 'flac', 'audio/flac', 'flac'),
  'audio/aac': audio('aac', 'adts', 'audio/aac', 'aac'),
};

export const imageExtensions: Record<ImageType['output'], string[]> = {
  jpeg: ['jpg', 'jpeg'],
  png: ['png'],
  gif: ['gif'],
  webp: ['webp'],
};

export const unsupported = (problem: string) =>
  new ParleyError(
    'VALIDATION_ERROR',
    `Unsupported file: ${problem}. Send an image, a video or an audio file, or send it as a document.`,
    {
      reason: 'unsupported_media_type',
    },
  );

/** Undefined if the type is unknown, also because the file is damaged. */
const detect = (path: string) =>
  fileTypeFromFile(path).catch((error: unknown) => {
    // This process has too many open files, for example.
    if (isOutage(error)) throw error;
    return undefined;
  });

/**
 * Detects the type of a file from its content. Its name and the sender's claim are ignored.
 * @throws ParleyError 415
 */
export async function typeOf(path: string): Promise<FileType> {
  const found = await detect(path);
  const [name = ''] = (found?.mime ?? '').replace('x-flac', 'flac').split(';');
  const type = types[name];
  if (type) return type;
  throw unsupported(found ? `${name} is not supported` : 'its type cannot be detected');
}

/** The types of documents, as detected from the first bytes. Other documents are text or unknown bytes: see documentTypeOf(). */
const documentTypes = new Set([
  'application/pdf',
  'application/zip',
  'application/gzip',
  'application/x-7z-compressed',
  'application/x-rar-compressed',
  'application/x-tar',
  'application/rtf',
  'application/epub+zip',
  // The older formats of Word, Excel and PowerPoint.
  'application/x-cfb',
]);
const officePrefixes = [
  'application/vnd.openxmlformats-officedocument.',
  'application/vnd.oasis.opendocument.',
];
/** Control characters that no text contains. */
const isControl = (byte: number) => (byte < 32 && ![9, 10, 12, 13, 27].includes(byte)) || byte === 127;

/**
 * Detects the type of a document from its content. A type that a browser could run, such as HTML or SVG, is text or unknown bytes here, and
 * every document is served as a download.
 */
export async function documentTypeOf(path: string): Promise<string> {
  const found = await detect(path);
  const [name = ''] = (found?.mime ?? '').split(';');
  if (documentTypes.has(name) || officePrefixes.some((prefix) => name.startsWith(prefix))) return name;
  const isText = !found && (await isUtf8Text(path));
  return isText ? 'text/plain; charset=utf-8' : 'application/octet-stream';
}

/** Reads the whole file, which has at most 25 MB. Only its beginning is searched for control characters, because that is slower. */
async function isUtf8Text(path: string): Promise<boolean> {
  const bytes = await readFile(path);
  return isUtf8(bytes) && !bytes.subarray(0, 64 * 1024).some(isControl);
}
