import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { unsupported, type ContainerType } from './fileTypes.ts';
import { makeThumbnail } from './images.ts';
import type { Inspected } from './Inspected.ts';
import { ffprobeBeside, inputArgs, probeMedia, type MediaContent, type MediaStream } from './probeMedia.ts';
import { runTool, ToolFailed } from './runTool.ts';

/** The time limit for quick work, such as probing a file, copying it, or decoding one frame. */
const seconds = 30;
/** The time limit for decoding or encoding a few minutes of speech. */
const encodingSeconds = 60;
const maxPixels = 64_000_000;

/** The codecs that browsers play. Other files are refused. */
const codecs = {
  video: new Set(['h264', 'hevc', 'vp8', 'vp9', 'av1']),
  audio: new Set(['aac', 'mp3', 'opus', 'vorbis', 'flac', 'pcm_s16le', 'pcm_s24le', 'pcm_u8', 'pcm_f32le']),
};

/** Processes audio and video with ffmpeg. ffmpeg is told the format of the input, and may open no file besides it. */
export class MediaFiles {
  readonly #ffmpeg: string;
  readonly #ffprobe: string;

  constructor(ffmpeg: string) {
    this.#ffmpeg = ffmpeg;
    this.#ffprobe = ffprobeBeside(ffmpeg);
  }

  /** Copies video and audio into a new container without re-encoding them. Metadata and other data are left out. */
  async clean(path: string, folder: string, type: ContainerType): Promise<Inspected> {
    const { video, audio } = await this.#probe(path, type.demuxer);
    if (!video && !audio) throw unsupported('this file has no audio and no video');
    if (video && !type.video) throw unsupported('this file type holds only audio, but the file has video');
    refuseUnplayable(video, audio);
    const target = (video && type.video) || type.audio;
    const clean = join(folder, 'clean');
    await this.#run([
      ...input(path, type.demuxer),
      // The upper-case V leaves out covers, which may come before the video.
      ...(video ? ['-map', '0:V:0'] : []),
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

  /**
   * @param path a cleaned audio file
   * @param mimeType the type it is stored as
   */
  async toOpus(path: string, folder: string, mimeType: string): Promise<{ path: string; duration: number }> {
    const target = join(folder, 'speech');
    const demuxer = demuxerOf(mimeType.replace('audio/', ''));
    const content = await this.#probe(path, demuxer);
    const isOpus = content.audio?.codec_name === 'opus';
    const codec = isOpus ? ['-c:a', 'copy'] : ['-c:a', 'libopus', '-b:a', '32k', '-ac', '1'];
    // All of the audio must be decodable, even if it is only copied: without decoding it, ffmpeg would copy any data.
    await this.#run(
      [
        ...['-xerror', ...input(path, demuxer)],
        ...['-map', '0:a:0', ...codec, '-map_metadata', '-1', '-f', 'webm', target],
        ...['-map', '0:a:0', '-f', 'null', '-'],
      ],
      encodingSeconds,
    );
    const { duration } = await this.#probe(target, 'matroska');
    if (duration === null) throw unsupported('this recording has no duration');
    return { path: target, duration };
  }

  async #probe(path: string, demuxer: string): Promise<MediaContent> {
    const content = await probeMedia(this.#ffprobe, path, demuxer).catch(unreadable);
    if (!content) throw unsupported('this file cannot be read');
    return content;
  }

  /** Creates a thumbnail of a frame from the first second. @returns null if that fails */
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
      // Fails if ffmpeg wrote no frame. This happens if a video has only one frame and ends before the requested time.
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

/** ffmpeg's name for reading a format. For some formats it differs from the name for writing. */
function demuxerOf(muxer: string): string {
  return { mp4: 'mov', webm: 'matroska', adts: 'aac', mpeg: 'mp3' }[muxer] ?? muxer;
}

function unreadable(cause: unknown): never {
  if (!(cause instanceof ToolFailed)) throw cause;
  throw Object.assign(unsupported('this file cannot be read'), { cause });
}

function refuseUnplayable(video: MediaStream | undefined, audio: MediaStream | undefined): void {
  for (const [found, playable] of [
    [video, codecs.video],
    [audio, codecs.audio],
  ] as const) {
    const name = found?.codec_name ?? 'unknown';
    if (found && !playable.has(name)) throw unsupported(`browsers do not play ${name}`);
  }
  if ((video?.width ?? 0) * (video?.height ?? 0) > maxPixels)
    throw unsupported('the video frames of this file are larger than 64 megapixels');
}

/** The size at which a video is displayed. Phones record in landscape and store the rotation separately. */
function sizeOf(video: MediaStream | undefined): { width: number | null; height: number | null } {
  if (!video) return { width: null, height: null };
  const { width = null, height = null, side_data_list: notes = [] } = video;
  const isTurned = notes.some(({ rotation = 0 }) => Math.abs(rotation) % 180 === 90);
  return isTurned ? { width: height, height: width } : { width, height };
}
