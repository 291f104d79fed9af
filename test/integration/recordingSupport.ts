import { execFileSync } from 'node:child_process';
import { installed } from '../harness/installed.ts';

/** What ffprobe finds in a film, all of which it decodes. */
export function filmIn(bytes: Buffer) {
  const words = ['-v', 'error', '-count_frames', '-show_streams', '-show_format', '-of', 'json', '-'];
  const ffprobe = installed('ffmpeg').replace(/ffmpeg$/, 'ffprobe');
  const text = execFileSync(ffprobe, words, { input: bytes, maxBuffer: 10_000_000 }).toString();
  const { streams, format } = JSON.parse(text) as {
    streams: { codec_type: string; codec_name: string; nb_read_frames: string }[];
    format: { duration: string };
  };
  const of = (type: string) => streams.find((stream) => stream.codec_type === type);
  return {
    video: of('video')?.codec_name ?? null,
    audio: of('audio')?.codec_name ?? null,
    pictures: Number(of('video')?.nb_read_frames ?? 0),
    seconds: Number(format.duration),
  };
}
