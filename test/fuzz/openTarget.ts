import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startCluster, type ClusterNode } from '../harness/nodes/Cluster.ts';
import { freePorts } from '../harness/nodes/ports.ts';
import { ServerProcess, type Settings } from '../harness/nodes/ServerProcess.ts';

/** The server to fuzz. */
export interface Target {
  server: ServerProcess;
  rtmpPort: number;
  close(): Promise<void>;
}

/** Settings with limits so high that the server never refuses an input because of them. */
const fuzzSettings: Settings = {
  ...Object.fromEntries(
    [
      ...['REALTIME', 'CALLS', 'CALLED', 'STREAMS', 'WHIP', 'WHEP', 'HLS', 'ROOMS', 'JOINS', 'CHAT'],
      ...['CHANGES', 'INVITES', 'INVITED', 'GATES', 'MESSAGES', 'AUTH', 'READS', 'WRITES', 'VOICEMAIL'],
      ...['VOICEMAILED', 'UPLOADS', 'LEAKSEARCH'],
    ].map((name) => [`RATE_LIMIT_${name}`, '1000000']),
  ),
  MAX_CONNECTIONS_PER_NETWORK: '10000',
  RTMP_CONNECTIONS_PER_NETWORK: '1000',
  SIGNUP_CREDITS: '1000000',
  LOG_LEVEL: 'warn',
  // Gauge connects to the inspector, to collect garbage and to measure memory.
  NODE_OPTIONS: '--inspect=127.0.0.1:0',
};

/** @param isCluster whether to run the server as the only node of a cluster, with a port for other nodes */
export async function openTarget({ isCluster }: { isCluster: boolean }): Promise<Target> {
  const rtmpPort = await freePorts();
  const settings = { ...fuzzSettings, RTMP_PORT: String(rtmpPort) };
  if (!isCluster) {
    const server = await ServerProcess.start(settings);
    return { server, rtmpPort, close: () => server.dispose() };
  }
  const files = await mkdtemp(join(tmpdir(), 'parley-fuzz-'));
  const plan = { node: ['api', 'signaling', 'media'] };
  const cluster = await startCluster(plan, { ...settings, FILES_DIR: files });
  const [{ server }] = cluster.nodes as [ClusterNode];
  const close = async () => {
    await cluster.close();
    await rm(files, { recursive: true });
  };
  return { server, rtmpPort, close };
}
