import { io } from 'socket.io-client';
import { TestClient } from '../harness/clients/TestClient.ts';
import { protocolVersion } from '../../sdk/protocol/version.ts';
import { ServerProcess } from '../harness/nodes/ServerProcess.ts';
import { startBareServer } from './bareServer.ts';
import { ofRounds } from './report/Figure.ts';
import type { Bench } from './report/Report.ts';

const rounds = 30;
const requestsPerRound = 1_000;
const inFlight = 50;

/** Empty requests through the request dispatcher, beside bare acknowledgements. */
export const dispatcher: Bench = {
  title: 'The request dispatcher',
  about: `How long ${requestsPerRound.toLocaleString('en-US')} empty requests of one connection take, ${inFlight} in flight, with the checks, limits and metrics of every request. The baseline is a Socket.IO server that only acknowledges.`,
  async run() {
    const server = await ServerProcess.start({ LOG_LEVEL: 'info', RATE_LIMIT_REALTIME: '100000000' });
    const bare = await startBareServer();
    try {
      const { ours, bare: theirs } = await benchDispatcher(server.url, bare.url);
      const baseline = { name: 'bare Socket.IO', values: theirs };
      const goal = { of: 'ratio' as const, atMost: 1.5 };
      return [ofRounds({ what: 'time of all requests', unit: 'ms', ours, baseline, goal })];
    } finally {
      bare.stop();
      await server.dispose();
    }
  },
};

/**
 * Measures how many milliseconds a thousand empty requests take, with fifty in flight, through a real server's request dispatcher and as
 * bare acknowledgements. The two take turns, so that other load on the machine affects both.
 */
async function benchDispatcher(ours: string, bare: string): Promise<{ ours: number[]; bare: number[] }> {
  const client = await TestClient.signIn(ours);
  const token = client.parley.session?.token;
  const dispatcherSocket = io(ours, {
    transports: ['websocket'],
    auth: { token, protocolVersion },
    forceNew: true,
  });
  const bareSocket = io(bare, { transports: ['websocket'], forceNew: true });
  const samples: { ours: number[]; bare: number[] } = { ours: [], bare: [] };
  const round = async (ask: () => Promise<unknown>) => {
    const started = performance.now();
    let left = requestsPerRound;
    await Promise.all(
      Array.from({ length: inFlight }, async () => {
        while (left-- > 0) await ask();
      }),
    );
    return performance.now() - started;
  };
  for (let index = 0; index < rounds; index++) {
    const throughDispatcher = await round(() => dispatcherSocket.emitWithAck('session.ping', {}));
    const bareAck = await round(() => bareSocket.emitWithAck('ping', {}));
    // The first rounds only warm up both servers.
    if (index < 5) continue;
    samples.ours.push(throughDispatcher);
    samples.bare.push(bareAck);
  }
  dispatcherSocket.close();
  bareSocket.close();
  client.close();
  return samples;
}
