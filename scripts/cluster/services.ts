import { mkdir, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findTool } from '../../platform/system/findTool.mjs';
import type { NodePlan, Plan } from './plan.ts';
import type { ServiceOptions } from './Service.ts';

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

export async function coturn(
  { dataDir, turnPort, relayPorts: [first, last] }: Plan,
  secret: string,
): Promise<Program> {
  const folder = join(dataDir, 'coturn');
  await mkdir(folder, { recursive: true });
  const settings = [
    ...[`listening-port=${turnPort}`, 'listening-ip=127.0.0.1', 'relay-ip=127.0.0.1'],
    ...[`min-port=${first}`, `max-port=${last}`],
    ...['use-auth-secret', `static-auth-secret=${secret}`, 'realm=parley', 'fingerprint'],
    // The nodes' media is on loopback here and needs only UDP. TCP is not relayed, because clients could then reach the databases there.
    ...['allow-loopback-peers', 'no-tcp-relay', 'no-multicast-peers', 'no-tls', 'no-dtls', 'no-cli'],
    ...[`userdb=${join(folder, 'turn.db')}`, `pidfile=${join(folder, 'turn.pid')}`, 'log-file=stdout'],
  ];
  const file = join(folder, 'turnserver.conf');
  // The settings are passed in a file, because all users of this machine can read the arguments of a process.
  await writeFile(file, `${settings.join('\n')}\n`, { mode: 0o600 });
  return {
    name: 'coturn',
    command: findTool('coturn') ?? 'turnserver',
    args: ['-c', file],
    isReady: () => listens(turnPort),
  };
}

/** @param shared environment variables with the same value on all nodes */
export function parley({ name, url, ...node }: NodePlan, shared: NodeJS.ProcessEnv): Program {
  return {
    name,
    command: process.execPath,
    args: ['--enable-source-maps', 'server/dist/main.js'],
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
