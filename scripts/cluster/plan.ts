import { createSocket } from 'node:dgram';
import { createServer } from 'node:net';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';

export interface NodePlan {
  name: string;
  url: string;
  dataDir: string;
  port: number;
  mediaPort: number;
  clusterPort: number;
  /** 0 disables RTMP. */
  rtmpPort: number;
  turnPort: number;
}

export interface Plan {
  dataDir: string;
  nodes: NodePlan[];
  /** The number of media workers of each node. By default, the nodes share the CPU cores. */
  workers: number;
  redisPort: number;
}

/** Chooses ports and folders. PORT, MEDIA_PORT, CLUSTER_PORT and RTMP_PORT change the ports, and DATA_DIR changes the folder. */
export function makePlan(env: NodeJS.ProcessEnv): Plan {
  const [port, mediaPort, clusterPort] = [
    portIn(env, 'PORT', 3_000),
    portIn(env, 'MEDIA_PORT', 20_000),
    portIn(env, 'CLUSTER_PORT', 3_900),
  ];
  const rtmpPort = env.RTMP_PORT === '0' ? 0 : portIn(env, 'RTMP_PORT', 1_935);
  const dataDir = env.DATA_DIR
    ? join(resolve(env.DATA_DIR), 'cluster')
    : resolve(process.getuid?.() === 0 ? '/var/lib/parley-cluster' : './data/cluster');
  const workers = Number(env.MEDIA_WORKERS) || Math.max(1, Math.floor(availableParallelism() / 2));
  const nodes = [0, 1].map((index) => ({
    name: `node ${index + 1}`,
    url: `http://127.0.0.1:${port + 10 * index}`,
    dataDir: join(dataDir, `node-${index + 1}`),
    port: port + 10 * index,
    mediaPort: mediaPort + 1_000 * index,
    clusterPort: clusterPort + 10 * index,
    rtmpPort: rtmpPort && rtmpPort + 10 * index,
    turnPort: clusterPort + 30 + 10 * index,
  }));
  return {
    dataDir,
    nodes,
    workers,
    redisPort: clusterPort + 20,
  };
}

function portIn(env: NodeJS.ProcessEnv, name: string, byDefault: number): number {
  const port = env[name] ? Number(env[name]) : byDefault;
  // Ports derived from this one are up to 1,255 higher, and none may exceed 65,535.
  if (Number.isInteger(port) && port > 0 && port < 63_000) return port;
  throw new Error(`${name}: ${env[name]} is not a port between 1 and 62999`);
}

/** @throws Error that names all ports in use */
export async function refuseUsedPorts({ nodes, workers, redisPort }: Plan): Promise<void> {
  const wanted: [port: number, what: string, variable: string][] = [
    ...nodes.flatMap(
      ({ name, port, clusterPort, mediaPort, rtmpPort, turnPort }): [number, string, string][] => [
        [port, `${name}, pages and WebSockets`, 'PORT'],
        [clusterPort, `${name}, links to the other nodes`, 'CLUSTER_PORT'],
        [turnPort, `${name}, TURN`, 'CLUSTER_PORT'],
        ...(rtmpPort ? [[rtmpPort, `${name}, RTMP`, 'RTMP_PORT'] as [number, string, string]] : []),
        ...Array.from({ length: workers }, (_, worker): [number, string, string] => [
          mediaPort + worker,
          `${name}, media`,
          'MEDIA_PORT',
        ]),
      ],
    ),
    [redisPort, 'Redis', 'CLUSTER_PORT'],
  ];
  const checks = await Promise.all(wanted.map(async (port) => ({ port, isFree: await isFree(port[0]) })));
  const used = checks.filter(({ isFree }) => !isFree).map(({ port }) => port);
  if (used.length === 0) return;
  const lines = used.map(([port, what, variable]) => `  - ${port} (${what}): ${variable} changes it`);
  throw new Error(
    `These ports of 127.0.0.1 are in use, perhaps by another \`npm run cluster\` or \`npm start\`:\n${lines.join('\n')}`,
  );
}

async function isFree(port: number): Promise<boolean> {
  const tcp = new Promise<boolean>((resolve) => {
    const server = createServer()
      .once('error', () => resolve(false))
      .listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
  const udp = new Promise<boolean>((resolve) => {
    const socket = createSocket('udp4')
      .once('error', () => resolve(false))
      .bind(port, '127.0.0.1', () => socket.close(() => resolve(true)));
  });
  return (await tcp) && (await udp);
}
