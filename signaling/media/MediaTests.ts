import { randomUUID } from 'node:crypto';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import type { MediaCluster } from '../../media/MediaCluster.ts';
import type { ScheduledJobs } from '../../platform/jobs/ScheduledJobs.ts';
import type { Limit } from '../../platform/limits/Limits.ts';
import { toIso } from '../../sdk/protocol/common.ts';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import { mediaTestSeconds } from '../../sdk/protocol/mediaTest.ts';
import type { RequestOf, ResponseOf } from '../../sdk/protocol/wire.ts';
import type { Handlers } from '../socket/Handlers.ts';
import type { ParleySocket, RequestContext } from '../socket/RequestContext.ts';
import { tagWithoutDevice } from './peerTag.ts';
import type { TurnServers } from './TurnServers.ts';

interface MediaTestsDeps {
  db: NodePgDatabase;
  jobs: ScheduledJobs;
  cluster: MediaCluster;
  turn: TurnServers;
  /** How many tests a wallet may open. */
  opening: Limit;
}

const endOfTest = 'media test ends';
/** The most that a test may send, in bits per second. */
const maxBitrate = 4_000_000;
const [sender, receiver] = ['sender', 'receiver'] as const;

interface Test {
  id: string;
  /** Which peer each transport belongs to. */
  peers: Map<string, string>;
}

/**
 * Rooms in which one device sends a video to itself, to test its network. They have no other members, exist for a short time only, and are
 * closed by a job, whichever nodes die.
 */
export class MediaTests {
  readonly #deps: MediaTestsDeps;
  readonly #tests = new WeakMap<ParleySocket, Test>();

  constructor(deps: MediaTestsDeps) {
    this.#deps = deps;
    deps.jobs.on(endOfTest, ({ subject }) => deps.cluster.closeRoom(subject));
  }

  readonly handlers: Handlers<'mediaTest'> = {
    'mediaTest.open': (context, { rtpCapabilities }, socket) => this.#open(context, socket, rtpCapabilities),
    'mediaTest.connect': async (_context, { testId, transportId, dtlsParameters }, socket) => {
      const peerId = this.#test(socket, testId).peers.get(transportId);
      if (!peerId) throw new ParleyError('NOT_FOUND', 'The test has no such transport.');
      await this.#deps.cluster.room(testId).connectTransport({ peerId, transportId, dtlsParameters });
    },
    'mediaTest.produce': (_context, payload, socket) => this.#produce(socket, payload),
    'mediaTest.receive': async (_context, { testId, consumerId }, socket) => {
      const { id } = this.#test(socket, testId);
      await this.#deps.cluster.room(id).resumeConsumers({ peerId: receiver, consumerIds: [consumerId] });
    },
    'mediaTest.close': async (_context, { testId }, socket) => {
      const { id } = this.#test(socket, testId);
      this.#tests.delete(socket);
      await this.#deps.cluster.closeRoom(id);
    },
  };

  async #open(
    context: RequestContext,
    socket: ParleySocket,
    rtpCapabilities: RequestOf<'mediaTest.open'>['rtpCapabilities'],
  ): Promise<ResponseOf<'mediaTest.open'>> {
    const { cluster, db, jobs, turn, opening } = this.#deps;
    await opening.consume(context);
    const former = this.#tests.get(socket);
    if (former) await cluster.closeRoom(former.id);
    const testId = `test_${randomUUID()}`;
    await jobs.set(db, endOfTest, testId, new Date(Date.now() + mediaTestSeconds * 1_000));
    await cluster.openRoom(testId);
    const join = (peerId: typeof sender | typeof receiver) =>
      cluster.room(testId).join({
        peerId,
        identity: peerId,
        tag: tagWithoutDevice('call', this.#participant(context, testId, peerId)),
        rtpCapabilities,
        // Like a call: every packet is forwarded.
        multiparty: false,
        isViewer: peerId === receiver,
        receives: peerId === receiver,
        maxIncomingBitrate: maxBitrate,
      });
    const sending = await join(sender);
    const receiving = await join(receiver);
    if (!sending.sendTransport) throw new Error('a sender without a transport');
    const [send, probe, receive] = [sending.sendTransport, sending.recvTransport, receiving.recvTransport];
    const peers = new Map([
      [send.id, sender],
      [receive.id, receiver],
    ]);
    this.#tests.set(socket, { id: testId, peers });
    return {
      testId,
      sendTransport: send,
      recvTransport: receive,
      probeTransport: probe,
      iceServers: turn.for(context.wallet, send.iceCandidates),
    };
  }

  async #produce(
    socket: ParleySocket,
    { testId, rtpParameters }: RequestOf<'mediaTest.produce'>,
  ): Promise<ResponseOf<'mediaTest.produce'>> {
    const room = this.#deps.cluster.room(this.#test(socket, testId).id);
    const { producerId } = await room.produce({
      peerId: sender,
      source: 'camera',
      rtpParameters,
      paused: false,
    });
    const { consumers } = await room.resume({ peerId: receiver, identity: receiver, tag: {} });
    const [own] = consumers;
    if (!own)
      throw new ParleyError('VALIDATION_ERROR', 'This device cannot receive the video that it sends.');
    return { producerId, consumer: own.consumer };
  }

  #participant({ wallet: walletAddress }: RequestContext, roomId: string, id: string) {
    const common = { displayName: null, role: 'participant', handRaised: false } as const;
    return { id, roomId, walletAddress, joinedAt: toIso(new Date()), ...common };
  }

  /** The open test of a connection. @throws ParleyError NOT_FOUND */
  #test(socket: ParleySocket, testId: string): Test {
    const test = this.#tests.get(socket);
    if (test?.id === testId) return test;
    throw new ParleyError('NOT_FOUND', 'There is no such test, or it has ended: open one.');
  }
}
