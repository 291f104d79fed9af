import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { until } from '../../test/harness/until.ts';
import { Ffmpeg } from './Ffmpeg.ts';

/** Arguments of an ffmpeg that runs until it is stopped. */
const endless = ['-re', '-f', 'lavfi', '-i', 'sine', '-f', 'null', '-'];

const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

describe('ffmpeg', () => {
  it('reports progress and its last output, and stops on request', async () => {
    let progress = 0;
    const outputs: string[] = [];
    const onExit = (text: string) => void outputs.push(text);
    const running = new Ffmpeg({ bin: 'ffmpeg', args: endless, onExit, onProgress: () => void progress++ });
    await until(() => progress > 1, 'progress');
    await running.stop();
    expect(running.isRunning).toBe(false);
    const failing = new Ffmpeg({ bin: 'ffmpeg', args: ['-i', '/no/such/file'], onExit });
    await failing.exited;
    expect(outputs.at(-1)).toContain('No such file');
    const missing = new Ffmpeg({ bin: 'no-such-ffmpeg', args: [], onExit });
    await missing.exited;
    expect(outputs).toHaveLength(3);
  });

  // pdeathsig exists only on Linux.
  it.runIf(process.platform === 'linux')('ends with its parent, even after kill -9', async () => {
    const program = `import { Ffmpeg } from '${new URL('Ffmpeg.ts', import.meta.url).href}';
      const running = new Ffmpeg({ bin: 'ffmpeg', args: ${JSON.stringify(endless)}, onExit() {}, onProgress: () => console.log(running.pid) });`;
    const parent = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', program]);
    const [line] = (await once(parent.stdout, 'data')) as [Buffer];
    const pid = Number(line.toString().trim());
    expect(isAlive(pid)).toBe(true);
    parent.kill('SIGKILL');
    await once(parent, 'exit');
    await until(() => !isAlive(pid), 'ffmpeg has ended');
  });
});
