import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installed } from '../../harness/run/installed.ts';

export interface Sound {
  codec: string;
  /** Seconds of audio that can be decoded. */
  duration: number;
  /** Level of the tone. */
  toneDecibels: number;
  /** Level of everything other than the tone. */
  otherDecibels: number;
}

const rate = 48_000;

/** Decodes a recording with ffmpeg and measures the level of a tone (Goertzel's algorithm over windows of a tenth of a second). */
export function measureSound(bytes: Buffer, hertz: number): Sound {
  const folder = mkdtempSync(join(tmpdir(), 'parley-heard-'));
  try {
    const path = join(folder, 'recording');
    writeFileSync(path, bytes);
    const ffmpeg = installed('ffmpeg');
    const probe = ['-v', 'error', '-show_entries', 'stream=codec_name', '-of', 'csv=p=0', path];
    const codec = execFileSync(ffmpeg.replace(/ffmpeg$/, 'ffprobe'), probe)
      .toString()
      .trim();
    const raw = ['-v', 'error', '-i', path, '-ac', '1', '-ar', String(rate), '-f', 'f32le', '-'];
    const pcm = execFileSync(ffmpeg, raw, { maxBuffer: 256 * 1024 * 1024 });
    const samples = new Float32Array(pcm.buffer.slice(pcm.byteOffset, pcm.byteOffset + pcm.length));
    return { codec, duration: samples.length / rate, ...levels(samples, hertz) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function levels(samples: Float32Array, hertz: number): Pick<Sound, 'toneDecibels' | 'otherDecibels'> {
  const window = rate / 10;
  let [tone, all] = [0, 0];
  for (let at = 0; at + window <= samples.length; at += window) {
    const piece = samples.subarray(at, at + window);
    const power = piece.reduce((sum, sample) => sum + sample * sample, 0) / window;
    const ofTone = Math.min(power, goertzel(piece, hertz));
    tone += ofTone;
    all += power;
  }
  const decibels = (power: number) => 10 * Math.log10(power / Math.max(1, samples.length / window) + 1e-12);
  return { toneDecibels: decibels(tone), otherDecibels: decibels(Math.max(0, all - tone)) };
}

/** The power of one frequency. */
function goertzel(samples: Float32Array, hertz: number): number {
  const factor = 2 * Math.cos((2 * Math.PI * hertz) / rate);
  let [before, last] = [0, 0];
  for (const sample of samples) [before, last] = [last, sample + factor * last - before];
  const amplitude = (last * last + before * before - factor * last * before) / samples.length ** 2;
  return amplitude * 2;
}
