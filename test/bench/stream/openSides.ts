import { availableParallelism } from 'node:os';
import { ServerProcess } from '../../harness/nodes/ServerProcess.ts';
import { startBareServer, type BareOptions } from '../bareServer.ts';
import type { Side } from '../rooms/inTurns.ts';
import { BenchViewers } from './BenchViewers.ts';
import { Janus } from './Janus.ts';
import { janusStream } from './janusStream.ts';
import { bareStream, parleyStream } from './participants.ts';
import { streamSettings } from './settings.ts';

export interface StreamSide extends Side {
  packets: BenchViewers;
  close: () => Promise<void>;
}

/** Starts Parley and opens a stream on it. */
export async function parleySide(): Promise<StreamSide> {
  const server = await ServerProcess.start({
    ...streamSettings,
    MEDIA_WORKERS: String(availableParallelism()),
  });
  const packets = await BenchViewers.open(await parleyStream(server.url));
  const close = () => {
    packets.close();
    return server.dispose();
  };
  return { name: 'parley', pid: server.pid, packets, close };
}

/** Starts the baseline and opens a room on it. */
export async function bareSide(options: BareOptions = {}, name = 'bare'): Promise<StreamSide> {
  const bare = await startBareServer('server', JSON.stringify(options));
  const packets = await BenchViewers.open(await bareStream(bare.url));
  const close = () => {
    packets.close();
    bare.stop();
    return Promise.resolve();
  };
  return { name, pid: bare.pid, packets, close };
}

/**
 * Starts Janus and opens a stream in its room.
 * @param eventLoops see Janus.start()
 */
export async function janusSide(name: string, eventLoops: number | null): Promise<StreamSide> {
  const janus = await Janus.start(eventLoops);
  try {
    const packets = await BenchViewers.open(await janusStream(janus));
    const close = () => {
      packets.close();
      return janus.stop();
    };
    return { name, pid: janus.pid, packets, close };
  } catch (error) {
    await janus.stop();
    throw error;
  }
}
