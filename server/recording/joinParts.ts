import { createWriteStream } from 'node:fs';
import { stat, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { PartyId } from '../../sdk/protocol/party.ts';
import type { PartRow } from '../../signaling/recordings/tables.ts';
import type { MadeFile } from '../files/FileService.ts';
import { mp4, webm } from '../files/fileTypes.ts';
import type { ObjectStorage } from '../files/ObjectStorage.ts';
import { ffprobeBeside, probeMedia, type MediaContent } from '../files/probeMedia.ts';
import { runTool, ToolFailed } from '../files/runTool.ts';
import { chunkKey } from './chunkKey.ts';

interface JoinDeps {
  storage: ObjectStorage;
  ffmpeg: string;
}

interface FetchedPart {
  row: PartRow;
  path: string;
  content: MediaContent;
}

export interface JoinedFile extends MadeFile {
  wallet: PartyId;
  displayName: string | null;
  isScreen: boolean;
  startedAt: Date;
}

/** The time limit for joining parts: at least this, and enough for a slow disk, which is also read and written for other purposes. */
const [leastCopySeconds, slowBytesPerSecond] = [1_800, 5_000_000];
/** A larger file holds frames. */
const maxHeaderBytes = 8 * 1024;

interface JoinOptions {
  /** The folder for temporary files. */
  folder: string;
  /** Whether time without media stays in the file, so that the files of participants can be aligned. */
  keepsGaps: boolean;
}

/**
 * Joins the parts of a recording into files that players can play. Consecutive parts of the same format are joined into one file without
 * re-encoding.
 */
export async function joinParts(
  rows: PartRow[],
  { folder, keepsGaps }: JoinOptions,
  deps: JoinDeps,
): Promise<JoinedFile[]> {
  const fetched: FetchedPart[] = [];
  for (const row of rows) {
    const part = await fetchPart(row, folder, deps);
    if (part) fetched.push(part);
  }
  const joined: JoinedFile[] = [];
  for (const group of groupsOf(fetched)) {
    const file = await joinGroup(group, join(folder, `joined-${joined.length}`), { ...deps, keepsGaps });
    if (file) joined.push(file);
  }
  return joined;
}

/** @returns null if the part holds no media */
async function fetchPart(row: PartRow, folder: string, deps: JoinDeps): Promise<FetchedPart | null> {
  if (row.chunks === 0) return null;
  const path = join(folder, `${row.id}.mkv`);
  await pipeline(Readable.from(bytesOf(row, deps.storage)), createWriteStream(path, { mode: 0o600 }));
  const content = await probeMedia(ffprobeBeside(deps.ffmpeg), path, 'matroska').catch(nullIfRefused);
  return content?.video || content?.audio ? { row, path, content } : null;
}

async function* bytesOf(row: PartRow, storage: ObjectStorage) {
  let left = row.bytes;
  for (let number = 0; number < row.chunks && left > 0; number++) {
    for await (const bytes of await storage.get(chunkKey(row, number))) {
      // The last chunk may hold more bytes than were counted, if it was written again.
      const piece = (bytes as Buffer).subarray(0, left);
      left -= piece.length;
      yield piece;
    }
  }
}

/**
 * Groups the parts by participant, in order of time. A part in another format starts a new group, and each part of a shared screen is a
 * group of its own.
 */
function groupsOf(parts: FetchedPart[]): FetchedPart[][] {
  const groups: FetchedPart[][] = [];
  const latest = new Map<PartyId, FetchedPart[]>();
  for (const part of parts) {
    const { wallet, isScreen } = part.row;
    const group = isScreen ? undefined : latest.get(wallet);
    if (group?.[0] && formatOf(group[0]) === formatOf(part)) group.push(part);
    else {
      const begun = [part];
      groups.push(begun);
      if (!isScreen) latest.set(wallet, begun);
    }
  }
  return groups;
}

/**
 * The properties that parts must share to be joined. In VP8 and VP9 the frame size may change within a file. In H264 it may not, because
 * the file states it once.
 */
function formatOf({ content: { video, audio } }: FetchedPart): string {
  const { codec_name: codec = '', profile = '', width = 0, height = 0 } = video ?? {};
  const videoFormat = codec === 'h264' ? `${codec} ${profile} ${width}x${height}` : codec;
  return `${videoFormat}/${audio?.codec_name ?? ''}`;
}

async function joinGroup(
  group: FetchedPart[],
  path: string,
  deps: JoinDeps & Pick<JoinOptions, 'keepsGaps'>,
): Promise<JoinedFile | null> {
  const [first] = group;
  if (!first) return null;
  const { video } = first.content;
  const type = video?.codec_name === 'h264' ? mp4 : webm;
  const target = (video && type.video) || type.audio;
  const list = `${path}.txt`;
  await writeFile(list, listOf(group, deps.keepsGaps));
  const bytes = group.reduce((sum, { row }) => sum + row.bytes, 0);
  const source =
    group.length > 1 ? ['-f', 'concat', '-safe', '0', '-i', list] : ['-f', 'matroska', '-i', first.path];
  await runTool(
    deps.ffmpeg,
    [
      ...['-nostdin', '-v', 'error', '-y', '-protocol_whitelist', 'file', ...source],
      ...['-map', '0', '-c', 'copy', '-map_metadata', '-1'],
      ...(target.muxer === 'mp4' ? ['-movflags', '+faststart', '-strict', 'experimental'] : []),
      ...['-f', target.muxer, path],
    ],
    Math.max(leastCopySeconds, Math.ceil(bytes / slowBytesPerSecond)),
  );
  const { size } = await stat(path);
  if (size === 0) return null;
  const demuxer = target.muxer === 'mp4' ? 'mov' : 'matroska';
  const content = await probeMedia(ffprobeBeside(deps.ffmpeg), path, demuxer).catch((error: unknown) => {
    if (size > maxHeaderBytes) throw error;
    return nullIfRefused(error);
  });
  if (!content?.duration) return null;
  return {
    path,
    wallet: first.row.wallet,
    displayName: first.row.displayName,
    isScreen: first.row.isScreen,
    startedAt: first.row.startedAt,
    kind: video ? 'video' : 'audio',
    mimeType: target.mimeType,
    extensions: target.extensions,
    width: content.video?.width ?? null,
    height: content.video?.height ?? null,
    duration: content.duration,
  };
}

/**
 * The list for ffmpeg's concat demuxer. To keep gaps, it sets the duration of a part to the time from its start to the start of the next
 * one.
 */
function listOf(group: FetchedPart[], keepsGaps: boolean): string {
  const lines = group.flatMap(({ path, row }, index) => {
    const next = group[index + 1];
    const seconds = next && (next.row.startedAt.getTime() - row.startedAt.getTime()) / 1_000;
    // Relative to the list, because the path of the folder may contain a quotation mark.
    return [`file '${basename(path)}'`, ...(keepsGaps && seconds ? [`duration ${seconds}`] : [])];
  });
  return [...lines, ''].join('\n');
}

/**
 * A file that was cut off before its first frame cannot be read, and is left out. If ffprobe has failed for another reason, for example
 * because the memory was used up, the parts are joined later.
 */
function nullIfRefused(error: unknown): null {
  if (error instanceof ToolFailed && error.isRefusal) return null;
  throw error;
}
