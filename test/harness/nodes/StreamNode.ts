import { Writable } from 'node:stream';
import { pino } from 'pino';
import type { Address } from '../../../sdk/protocol/common.ts';
import type { EventName, RequestInput, ResponseOf } from '../../../sdk/protocol/wire.ts';
import { requests } from '../../../sdk/protocol/wire.ts';
import { createChains } from '../../../server/chains/chains.ts';
import { readConfig } from '../../../server/config/config.ts';
import { loadSecrets } from '../../../platform/secrets.ts';
import { streamOptions } from '../../../server/compose/streamOptions.ts';
import type { Handlers } from '../../../signaling/socket/Handlers.ts';
import type { ParleyServer } from '../../../signaling/socket/RequestContext.ts';
import { createIo } from '../../../signaling/socket/createIo.ts';
import type { Adapter } from '../../../platform/internals/socketIo/redisAdapter.ts';
import { ScheduledJobs } from '../../../platform/jobs/ScheduledJobs.ts';
import { Gates } from '../../../signaling/gates/Gates.ts';
import { memoryLimiters } from '../../../platform/limits/limiters.ts';
import { LimitFactory } from '../../../platform/limits/Limits.ts';
import { MediaSessions } from '../../../signaling/media/MediaSessions.ts';
import { TurnServers } from '../../../signaling/media/TurnServers.ts';
import { Notifier } from '../../../signaling/socket/Notifier.ts';
import { noAccountEvents } from '../../../signaling/events/AccountEvents.ts';
import { ParticipantTokens } from '../../../signaling/guests/ParticipantTokens.ts';
import { createStreams } from '../../../signaling/streaming/createStreams.ts';
import type { TestNode } from './TestNodes.ts';
import { QualityLog } from '../../../signaling/quality/QualityLog.ts';
import { Recordings } from '../../../signaling/recordings/Recordings.ts';
import { RecordingStore } from '../../../signaling/recordings/RecordingStore.ts';

/**
 * A node without connections that provides the stream rules to WHIP, RTMP, WHEP and HLS. Without a Socket.IO adapter, nodes do not
 * receive each other's events.
 */
export class StreamNode {
  readonly node: TestNode;
  readonly rules: ReturnType<typeof createStreams>;
  /** The node's log so far. */
  log = '';
  readonly #jobs: ScheduledJobs;
  readonly #io: ParleyServer;
  readonly #sent: EventName[] = [];

  static async open(node: TestNode, adapter: Adapter | null = null): Promise<StreamNode> {
    const config = readConfig({
      NODE_ENV: 'test',
      SECRET_KEY: 'the same for all nodes, at least 32 characters',
    });
    const secrets = await loadSecrets(config);
    return new StreamNode(node, streamOptions(config, secrets, 'https://parley.example'), adapter);
  }

  private constructor(node: TestNode, options: Parameters<typeof createStreams>[1], adapter: Adapter | null) {
    const log = pino(
      { level: 'trace' },
      new Writable({
        write: (chunk: Buffer, _encoding, done) => {
          this.log += chunk.toString();
          done();
        },
      }),
    );
    this.node = node;
    const io = (this.#io = createIo({ httpServer: null, adapter, isAllowedOrigin: () => true, log }));
    this.#listen(io);
    const notifier = new Notifier(io);
    const turn = new TurnServers({ urls: () => [], secret: () => undefined, ttlSeconds: 60 });
    const limitFactory = new LimitFactory(memoryLimiters);
    const limit = limitFactory.perWallet('media', 1_000, 60);
    const reporting = limitFactory.perKey('reports', 1_000, 60);
    const mediaLimits = { joining: limit, sending: limit, reporting };
    const cluster = node.media;
    const qualityLog = new QualityLog({ db: node.db, cluster, log });
    const media = new MediaSessions({ cluster, notifier, io, turn, qualityLog, ...mediaLimits, log });
    const gates = new Gates({ chains: createChains(readConfig({ NODE_ENV: 'test' })), log });
    this.#jobs = new ScheduledJobs(node.db, log);
    const limits = { maxSeconds: 60, maxBytes: 1, maxBytesPerWallet: 1 };
    const recordings = new Recordings({
      io,
      jobs: this.#jobs,
      notifier,
      accountEvents: noAccountEvents,
      recorder: null,
      limits,
      isSingleNode: adapter === null,
      log,
      store: new RecordingStore({ db: node.db, node: node.registry, jobs: this.#jobs, log }),
    });
    this.rules = createStreams(
      {
        db: node.db,
        io,
        notifier,
        media,
        gates,
        log,
        jobs: this.#jobs,
        isSingleNode: adapter === null,
        node: node.registry,
        recordings,
        limitFactory,
        graceMs: 1_000,
        participantTokens: new ParticipantTokens(node.db),
        accountEvents: noAccountEvents,
        endSession: () => undefined,
      },
      options,
    );
    this.#jobs.start();
  }

  /** The number of events with this name that the node has sent to devices. */
  sentEvents(name: EventName): number {
    return this.#sent.filter((one) => one === name).length;
  }

  get gateway() {
    return this.rules.gateway;
  }

  /** Runs a wallet's request. */
  async ask<Name extends keyof Handlers<'streaming'>>(
    wallet: Address,
    name: Name,
    payload: RequestInput<Name>,
  ): Promise<ResponseOf<Name>> {
    const session = { wallet, sessionId: 's', network: 'mainnet' } as const;
    const device = { socketId: 'x', subnets: [], peers: new Map<string, string>() };
    const context = { ...session, ...device, guest: null, countedAs: wallet } as const;
    const parsed = requests[name].request.parse(payload);
    return (await this.rules.handlers[name](context, parsed as never, null as never)) as ResponseOf<Name>;
  }

  #listen(io: ParleyServer): void {
    const { adapter } = io.of('/');
    const broadcast = adapter.broadcast.bind(adapter);
    adapter.broadcast = (packet: { data: [EventName] }, options) => {
      this.#sent.push(packet.data[0]);
      broadcast(packet, options);
    };
  }

  async close(): Promise<void> {
    this.rules.close();
    await this.#jobs.close();
    // There are no connections to close.
    await this.#io.of('/').adapter.close();
  }
}
