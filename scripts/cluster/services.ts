import { mkdir } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findTool } from '../../platform/system/findTool.mjs';
import type { NodePlan, Plan } from './plan.ts';
import type { ServiceOptions } from '../../platform/system/Service.ts';

/* The command line and environment of each program. All programs listen only on loopback. */

const root = fileURLToPath(new URL('../..', import.meta.url));

export type Program = Pick<ServiceOptions, 'name' | 'command' | 'args' | 'env' | 'cwd' | 'isReady'>;

/** Redis without persistence, because durable data is in PostgreSQL. */
export async function redis({ dataDir, redisPort }: Plan): Promise<Program> {
  const dir = join(dataDir, 'redis');
  await mkdir(dir, { recursive: true });
  const settings = { port: redisPort, bind: '127.0.0.1', dir, save: '', appendonly: 'no' };
  return {
    name: 'redis',
    command: findTool('redis') ?? 'redis-server',
    args: Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]),
    isReady: () => listens(redisPort),
  };
}

/** @param shared environment variables with the same value on all nodes */
export function parley({ name, url, ...node }: NodePlan, shared: NodeJS.ProcessEnv): Program {
  return {
    name,
    command: process.execPath,
    args: ['--enable-source-maps', '--max-semi-space-size=32', 'server/dist/main.js'],
    cwd: root,
    env: {
      ...process.env,
      ...shared,
      HOST: '127.0.0.1',
      PORT: String(node.port),
      PUBLIC_URL: url,
      DATA_DIR: node.dataDir,
      MEDIA_PORT: String(node.mediaPort),
      CLUSTER_HOST: '127.0.0.1',
      CLUSTER_PORT: String(node.clusterPort),
      RTMP_PORT: String(node.rtmpPort),
      TURN: 'auto',
      TURN_PORT: String(node.turnPort),
      LOG_PRETTY: 'false',
    },
    isReady: () =>
      fetch(`${url}/readyz`, { signal: AbortSignal.timeout(5_000) }).then(
        (response) => response.ok,
        () => false,
      ),
  };
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    }).once('error', () => resolve(false));
  });
}
