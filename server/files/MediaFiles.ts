import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { unsupported, type ContainerType } from './fileTypes.ts';
import { makeThumbnail } from './images.ts';
import type { Inspected } from './Inspected.ts';
import { ffprobeBeside, inputArgs, probeMedia, type MediaContent, type MediaStream } from './probeMedia.ts';
import { runTool, ToolFailed } from './runTool.ts';

/** Quick things: what is in a file, copying it, one picture of it. */
const seconds = 30;
/** Decoding or encoding a few minutes of speech. */
const encodingSeconds = 60;
const mostPixels = 64_000_000;

/** What browsers play. Everything else is refused rather than stored for nobody. */
const codecs = {
  video: new Set(['h264', 'hevc', 'vp8', 'vp9', 'av1']),
  audio: new Set(['aac', 'mp3', 'opus', 'vorbis', 'flac', 'pcm_s16le', 'pcm_s24le', 'pcm_u8', 'pcm_f32le']),
};

/** Sound and moving pictures, by ffmpeg: told which format to read, and to open nothing but the file. */
export class MediaFiles {
  readonly #ffmpeg: string;
  readonly #ffprobe: string;

  constructor(ffmpeg: string) {
    this.#ffmpeg = ffmpeg;
    this.#ffprobe = ffprobeBeside(ffmpeg);
  }

  /** Copies picture and sound as they are into a new container: what else was in the old one (places, names, other data) stays behind. */
  async clean(path: string, folder: string, type: ContainerType): Promise<Inspected> {
    const { video, audio } = await this.#probe(path, type.demuxer);
    if (!video && !audio) throw unsupported('there is no picture and no sound in this one');
    if (video && !type.video) throw unsupported('this container is for sound alone');
    refuseUnplayable(video, audio);
    const target = (video && type.video) || type.audio;
    const clean = join(folder, 'clean');
    await this.#run([
      ...input(path, type.demuxer),
      ...(video ? ['-map', '0:v:0'] : []),
      ...(audio ? ['-map', '0:a:0'] : []),
      ...['-c', 'copy', '-map_metadata', '-1', '-map_chapters', '-1'],
      ...(target.muxer === 'mp4' ? ['-movflags', '+faststart'] : []),
      ...['-f', target.muxer, clean],
    ]);
    const found = await this.#probe(clean, demuxerOf(target.muxer));
    return {
      kind: video ? 'video' : 'audio',
      mimeType: target.mimeType,
      extensions: target.extensions,
      path: clean,
      thumbnailPath: found.video ? await this.#thumbnail(clean, folder, target.muxer, found.duration) : null,
      ...sizeOf(found.video),
      duration: found.duration,
    };
  }

  /** @param path a sound that was cleaned; @param mimeType what it is stored as */
  async toOpus(path: string, folder: string, mimeType: string): Promise<{ path: string; duration: number }> {
    const target = join(folder, 'speech');
    const demuxer = demuxerOf(mimeType.replace('audio/', ''));
    const content = await this.#probe(path, demuxer);
    const isOpus = content.audio?.codec_name === 'opus';
    const codec = isOpus ? ['-c:a', 'copy'] : ['-c:a', 'libopus', '-b:a', '32k', '-ac', '1'];
    // Copied or encoded; and all of it has to decode, since a copy would carry over anything.
    await this.#run(
      [
        ...['-xerror', ...input(path, demuxer)],
        ...['-map', '0:a:0', ...codec, '-map_metadata', '-1', '-f', 'webm', target],
        ...['-map', '0:a:0', '-f', 'null', '-'],
      ],
      encodingSeconds,
    );
    const { duration } = await this.#probe(target, 'matroska');
    if (duration === null) throw unsupported('this recording has no length');
    return { path: target, duration };
  }

  async #probe(path: string, demuxer: string): Promise<MediaContent> {
    const content = await probeMedia(this.#ffprobe, path, demuxer).catch(unreadable);
    if (!content) throw unsupported('this one can’t be read');
    return content;
  }

  /** A picture from its first second, where one can be made of it. */
  async #thumbnail(
    path: string,
    folder: string,
    muxer: string,
    duration: number | null,
  ): Promise<string | null> {
    const [frame, small] = [join(folder, 'frame.png'), join(folder, 'thumbnail')];
    const at = Math.min(1, (duration ?? 0) / 2).toFixed(2);
    const scale = 'scale=w=640:h=640:force_original_aspect_ratio=decrease';
    const args = ['-ss', at, '-threads', '1', ...input(path, demuxerOf(muxer))];
    try {
      await this.#run([...args, '-map', '0:v:0', '-frames:v', '1', '-vf', scale, '-f', 'image2', frame]);
      // A film of one frame ends before the moment that was asked for.
      await stat(frame);
      await makeThumbnail(frame, small);
      return small;
    } catch {
      return null;
    }
  }

  async #run(args: string[], limit = seconds): Promise<void> {
    await runTool(this.#ffmpeg, ['-nostdin', '-v', 'error', '-y', ...args], limit).catch(unreadable);
  }
}

const input = (path: string, demuxer: string) => [...inputArgs(demuxer), '-i', path];

/** Some formats are called differently where they are read. */
function demuxerOf(muxer: string): string {
  return { mp4: 'mov', webm: 'matroska', adts: 'aac', mpeg: 'mp3' }[muxer] ?? muxer;
}

function unreadable(cause: unknown): never {
  if (!(cause instanceof ToolFailed)) throw cause;
  throw Object.assign(unsupported('this one can’t be read'), { cause });
}

function refuseUnplayable(video: MediaStream | undefined, audio: MediaStream | undefined): void {
  for (const [found, playable] of [
    [video, codecs.video],
    [audio, codecs.audio],
  ] as const) {
    const name = found?.codec_name ?? 'unknown';
    if (found && !playable.has(name)) throw unsupported(`browsers don’t play ${name}`);
  }
  if ((video?.width ?? 0) * (video?.height ?? 0) > mostPixels)
    throw unsupported('this one is too large a picture');
}

/** As it is meant to be seen: phones film lying down and note which way is up. */
function sizeOf(video: MediaStream | undefined): { width: number | null; height: number | null } {
  if (!video) return { width: null, height: null };
  const { width = null, height = null, side_data_list: notes = [] } = video;
  const isTurned = notes.some(({ rotation = 0 }) => Math.abs(rotation) % 180 === 90);
  return isTurned ? { width: height, height: width } : { width, height };
}
