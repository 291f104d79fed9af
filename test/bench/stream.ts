import { ServerProcess } from '../harness/nodes/ServerProcess.ts';
import { benchViewers } from './stream/viewers.ts';
import { benchDelays } from './stream/delays.ts';
import { benchJoins } from './stream/joins.ts';

/** The parts of this benchmark, by their names in BENCH_PARTS. */
const parts: Record<string, (server: ServerProcess) => Promise<boolean>> = {
  viewers: benchViewers,
  delay: benchDelays,
  join: benchJoins,
};

const settings = {
  LOG_LEVEL: 'warn',
  RATE_LIMIT_REALTIME: '1000000',
  RATE_LIMIT_JOINS: '100000',
  RATE_LIMIT_AUTH: '1000000',
  RATE_LIMIT_WHEP: '100000',
};

/** Measures a live stream in 720p: the server's CPU time per viewer, the viewers' latency, and the time until they see the first frame. */
export async function benchStream(): Promise<boolean> {
  const chosen = process.env.BENCH_PARTS?.split(',') ?? Object.keys(parts);
  let isMet = true;
  for (const name of chosen) {
    const part = parts[name];
    if (!part) throw new Error(`BENCH_PARTS may only contain ${Object.keys(parts).join(', ')}`);
    const server = await ServerProcess.start(settings);
    try {
      isMet = (await part(server)) && isMet;
    } finally {
      await server.dispose();
    }
  }
  return isMet;
}
