import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';

interface VideoOptions {
  /** @default 640x360 */
  size?: string;
  /** Frames per second. @default 30 */
  rate?: number;
  /** Seconds between key frames. @default 1 */
  groupSeconds?: number;
  bFrames?: number;
  profile?: string;
}

/** An ffmpeg that publishes a test video and a tone by RTMP. */
export class FfmpegPublisher {
  readonly #child: ChildProcess;
  errors = '';

  constructor(url: string, video: VideoOptions = {}) {
    const { size = '640x360', rate = 30, groupSeconds = 1, bFrames = 0, profile = 'main' } = video;
    this.#child = spawn(
      'ffmpeg',
      [
        ...['-hide_banner', '-v', 'error', '-re', '-f', 'lavfi', '-i', `testsrc=size=${size}:rate=${rate}`],
        ...['-re', '-f', 'lavfi', '-i', 'sine=frequency=440', '-map', '0:v', '-map', '1:a'],
        ...['-c:v', 'libx264', '-preset', 'ultrafast', '-profile:v', profile, '-pix_fmt', 'yuv420p'],
        ...['-b:v', '800k', '-g', String(rate * groupSeconds), '-bf', String(bFrames), '-sc_threshold', '0'],
        ...(bFrames > 0 ? ['-b_strategy', '0'] : []),
        ...['-c:a', 'aac', '-b:a', '96k', '-f', 'flv', url],
      ],
      { stdio: ['ignore', 'ignore', 'pipe'] },
    );
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => (this.errors += text));
  }

  get isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Stops and continues the process. Its connection stays open. */
  pause(): void {
    this.#child.kill('SIGSTOP');
  }

  resume(): void {
    this.#child.kill('SIGCONT');
  }

  async exited(): Promise<void> {
    if (this.isRunning) await once(this.#child, 'exit');
  }

  close(): Promise<void> {
    return this.kill();
  }

  async kill(): Promise<void> {
    if (!this.isRunning) return;
    this.#child.kill('SIGKILL');
    await once(this.#child, 'exit');
  }
}
