import { onlyKey, type Keys } from '../../../platform/keys.ts';
import { pino } from 'pino';
import { onTestFinished } from 'vitest';
import { freePorts } from '../nodes/ports.ts';
import { measureUntil } from '../measureUntil.ts';
import { serveLinks, type LinkServer } from '../../../media/cluster/linkServer.ts';
import type { LocalMediaCluster } from '../../../media/cluster/LocalMediaCluster.ts';
import { inProcessLink, type MediaLink } from '../../../media/cluster/MediaLink.ts';
import { MediaNode } from '../../../media/cluster/MediaNode.ts';
import type { NodeEventName, EmitNodeEvent } from '../../../media/cluster/rpc.ts';
import { SocketLink } from '../../../media/cluster/SocketLink.ts';
import { newPeer, openLocal, opus } from './mediaFixtures.ts';

const log = pino({ level: 'silent' });

export const clusterKeys = onlyKey(Buffer.alloc(32, 'cluster key'));
export const nodeId = 'node_media';
export const roomId = 'room';

export interface TestLink {
  link: MediaLink;
  events: [name: NodeEventName, payload: unknown][];
  received: (name: NodeEventName) => unknown[];
}

export interface TestSocketLink extends TestLink {
  /** The changes of the link's state, in order, without repeated failures. */
  states: ('up' | 'refused' | 'silent')[];
}

/** A media node with one worker, and links to it. */
export class MediaLinkFixture {
  readonly local: LocalMediaCluster;
  readonly node: MediaNode;
  readonly port: number;
  server!: LinkServer;
  /** The media node's id, as it reports it. */
  ownId: string | undefined = nodeId;

  static async open(): Promise<MediaLinkFixture> {
    const fixture = new MediaLinkFixture(await openLocal(), await freePorts());
    await fixture.serve();
    return fixture;
  }

  private constructor(local: LocalMediaCluster, port: number) {
    this.local = local;
    this.node = new MediaNode(local, log);
    this.port = port;
  }

  /** Starts listening. Works again after the server was closed. */
  async serve(): Promise<void> {
    const { node, port } = this;
    const address = { host: '127.0.0.1', port, keys: clusterKeys };
    this.server = await serveLinks({ node, ...address, id: () => this.ownId, log });
  }

  openInProcess(home: string): TestLink {
    const { emit, ...rest } = listen();
    const link = inProcessLink(this.node, home, emit);
    onTestFinished(() => link.close());
    return { link, ...rest };
  }

  openSocket(home: string, options: { address?: string; keys?: Keys } = {}): TestSocketLink {
    const { emit, ...rest } = listen();
    const states: TestSocketLink['states'] = [];
    const record = (how: TestSocketLink['states'][number]) =>
      void (states.at(-1) === how || states.push(how));
    const link = new SocketLink({
      nodeId,
      address: `127.0.0.1:${this.port}`,
      ownId: () => home,
      keys: clusterKeys,
      emit,
      onUp: () => record('up'),
      onDown: record,
      ...options,
    });
    onTestFinished(() => link.close());
    return { link, states, ...rest };
  }

  /** Stops the workers until the end of the test. */
  freezeWorkers(): void {
    const pids = this.local.workerPids;
    for (const pid of pids) process.kill(pid, 'SIGSTOP');
    onTestFinished(() => pids.forEach((pid) => process.kill(pid, 'SIGCONT')));
  }

  async close(): Promise<void> {
    await this.server.close();
    await this.local.close();
  }
}

function listen(): { emit: EmitNodeEvent; events: TestLink['events']; received: TestLink['received'] } {
  const events: TestLink['events'] = [];
  return {
    emit: (name, payload) => void events.push([name, payload]),
    events,
    received: (name) => events.filter(([event]) => event === name).map(([, payload]) => payload),
  };
}

export const at = (epoch: number) => ({ roomId, epoch });
export const joinAs = (link: MediaLink, peerId: string, epoch = 1, participant = peerId) =>
  link.call('join', { ...at(epoch), ...newPeer(peerId, participant) });
export const speak = (link: MediaLink, peerId: string) =>
  link.call('produce', { ...at(1), peerId, source: 'microphone', rtpParameters: opus(), paused: false });

/** @returns the error of a request and the time it took in milliseconds, not counting time in which the machine stalled */
export async function failure(request: Promise<unknown>) {
  const settled = request.then(
    () => ({ error: null }),
    (error: unknown) => ({ error }),
  );
  let outcome: { error: unknown } | null = null;
  void settled.then((given) => (outcome = given));
  const ms = await measureUntil(
    () => undefined,
    () => Promise.resolve(outcome !== null),
    'the request ends',
    20_000,
  );
  return { ...(await settled), ms };
}

export const unavailable = { code: 'SERVICE_UNAVAILABLE', reason: 'media_node_unreachable' };
