import { spawn } from 'node:child_process';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { afterAll, beforeAll, it } from 'vitest';
import { runTool } from '../../../server/files/runTool.ts';
import { FfmpegPublisher } from '../../harness/clients/FfmpegPublisher.ts';
import { oneNode, type OneNode } from '../../harness/nodes/Harness.ts';
import { freePorts } from '../../harness/nodes/ports.ts';
import { installed } from '../../harness/run/installed.ts';
import { until } from '../../harness/until.ts';

let node: OneNode;
let rtmpPort: number;
let folder: string;

beforeAll(async () => {
  rtmpPort = await freePorts();
  node = await oneNode({ RTMP_PORT: String(rtmpPort) });
  folder = await mkdtemp(join(tmpdir(), 'parley-vlc-'));
  await chmod(folder, 0o777);
});
afterAll(async () => {
  await node?.close();
  await rm(folder, { recursive: true, force: true });
});

/** Starts VLC without a window. It writes what it plays to a file. */
function play(url: string, file: string, onEnd: () => void): () => Promise<void> {
  const child = spawn(
    installed('vlc'),
    [url, '--sout', `#std{access=file,mux=ts,dst=${file}}`, 'vlc://quit'],
    {
      stdio: 'ignore',
      env: { ...process.env, HOME: folder },
      // It refuses to run as root.
      ...(process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}),
    },
  );
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  void closed.then(onEnd);
  return () => {
    child.kill();
    return closed;
  };
}

it('VLC goes on when the publisher comes back with a picture of another size', async ({ onTestFinished }) => {
  const host = await node.client();
  const stream = await host.parley.streaming.create({ title: 'VLC' });
  const publish = (size: string) => {
    const publisher = new FfmpegPublisher(`rtmp://127.0.0.1:${rtmpPort}/live/${stream.streamKey}`, {
      size,
      rate: 15,
    });
    onTestFinished(() => publisher.kill());
    return publisher;
  };
  const file = join(folder, 'played.ts');
  let isOver = false;
  /** The widths of the pictures that VLC has played so far, one per second. */
  const widths = async () => {
    if (isOver) throw new Error('VLC has ended');
    const shown = ['-skip_frame', 'nokey', '-select_streams', 'v', '-show_entries', 'frame=width'];
    const text = await runTool('ffprobe', ['-v', 'quiet', ...shown, '-of', 'csv=p=0', file], 10).catch(
      () => '',
    );
    return text.match(/\d+/g) ?? [];
  };
  const count = async (width: string) => (await widths()).filter((one) => one === width).length;
  const first = publish('320x180');
  await until(async () => (await fetch(stream.playbackUrl)).ok, 'the stream is live');
  onTestFinished(play(stream.playbackUrl, file, () => (isOver = true)));
  await until(async () => (await count('320')) > 2, 'VLC plays');
  await first.kill();
  publish('480x270');
  await until(async () => (await count('480')) > 2, 'VLC plays the other size');
});
