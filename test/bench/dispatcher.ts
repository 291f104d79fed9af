import { io } from 'socket.io-client';
import { TestClient } from '../harness/clients/TestClient.ts';
import { protocolVersion } from '../../sdk/protocol/version.ts';

const rounds = 30;
const requestsPerRound = 1_000;
const inFlight = 50;

/**
 * Measures how many milliseconds a thousand empty requests take, with fifty in flight, through a real server's request dispatcher and as
 * bare acknowledgements. The two take turns, so that other load on the machine affects both.
 */
export async function benchDispatcher(
  ours: string,
  bare: string,
): Promise<{ ours: number[]; bare: number[] }> {
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
