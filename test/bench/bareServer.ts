import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { freePorts } from '../harness/nodes/ports.ts';
import { nodeFlags } from '../harness/nodes/ServerProcess.ts';

export interface ChildServer {
  url: string;
  pid: number;
  /** Its error output so far. */
  readonly log: string;
  stop: () => void;
}

/** What the media server of the baseline does differently; the default is what Parley does. */
export interface BareOptions {
  /** The mediasoup-worker to run. */
  workerBin?: string | undefined;
  /** Whether each transport has a port of its own, instead of one port for all of a worker. */
  portPerTransport?: boolean;
  /** Whether sockets have the buffers of the kernel's default. */
  smallBuffers?: boolean;
  /** Whether a room has a router on each worker, connected by pipes, over which its participants are distributed. */
  routerPerWorker?: boolean;
  /** Whether the bandwidth of those who receive is not estimated. */
  noEstimate?: boolean;
}

/**
 * Starts a baseline server, in a separate process like Parley's server.
 * @param name the name of its file in `bare`, without the extension
 * @param args further arguments of that file, after the port
 */
export async function startBareServer(name = 'server', ...args: string[]): Promise<ChildServer> {
  const port = await freePorts();
  const script = fileURLToPath(new URL(`bare/${name}.ts`, import.meta.url));
  const child = spawn(process.execPath, [...nodeFlags, '--import', 'tsx', script, String(port), ...args], {
    // When this process ends, the server's standard input closes, and it exits.
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let log = '';
  child.stderr.on('data', (text: Buffer) => {
    log += text.toString();
    process.stderr.write(text);
  });
  await Promise.race([
    once(child.stdout, 'data'),
    once(child, 'exit').then(() => Promise.reject(new Error('the baseline did not start'))),
  ]);
  return {
    url: `http://127.0.0.1:${port}`,
    pid: child.pid ?? 0,
    get log() {
      return log;
    },
    stop: () => child.stdin.end(),
  };
}
