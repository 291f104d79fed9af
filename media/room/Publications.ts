import { isDeepStrictEqual } from 'node:util';
import type { Logger } from 'pino';
import type { Source } from '../../sdk/protocol/media.ts';
import type { NewProducer, PacketCount } from '../roomOperations.ts';
import { kindOf, viewOf } from '../plainRtp.ts';
import { viewersCannotPublish } from '../router/RouterPeer.ts';
import type { ActiveSpeakerForwarder } from './ActiveSpeakerForwarder.ts';
import { applyPause } from './applyPause.ts';
import type { Arrivals } from './Arrivals.ts';
import { checkSent } from './checkSent.ts';
import type { LayerDemand } from './LayerDemand.ts';
import type { Member, Publication } from './Member.ts';
import type { Received } from './plainPeers.ts';
import { unlessLeft, type RoomMembers } from './RoomMembers.ts';
import type { RoomNotifier } from './RoomNotifier.ts';
import type { RoomRouters } from './RoomRouters.ts';
import type { RoomSpeakers } from './RoomSpeakers.ts';
import type { Subscriptions } from './Subscriptions.ts';

/**
 * The minimum time between key frame requests to a publisher, however many peers join. Chromium drops a request that comes within 300 ms of
 * the one before, and mediasoup repeats a lost request only after a second.
 */
const keyFrameMs = 350;
/** The same for the publisher of a stream, which viewers join all the time. */
const streamKeyFrameMs = 1_000;

interface PublicationsDeps {
  members: RoomMembers;
  routers: RoomRouters;
  subscriptions: Subscriptions;
  speakers: RoomSpeakers;
  speakerForwarder: ActiveSpeakerForwarder;
  demand: LayerDemand;
  arrivals: Arrivals;
  notifier: RoomNotifier;
  log: Logger;
}

/** Starts, pauses and ends the publications of a room, and offers them to the other members. */
export class Publications {
  readonly #deps: PublicationsDeps;

  constructor(deps: PublicationsDeps) {
    this.#deps = deps;
  }

  /**
   * Starts a publication. It replaces the member's publication of the same source, if there is one. The same request again has no effect: a
   * device repeats a request whose answer it did not get. A second producer would not recognise the packets, because a browser names the
   * layer of a packet only at the beginning.
   */
  async start(member: Member, newProducer: NewProducer): Promise<{ producerId: string }> {
    // The revision may have changed since the first request.
    const { revision: _, ...request } = newProducer;
    const { source } = request;
    checkSent(kindOf(source), request.rtpParameters);
    const last = member.starts.get(source);
    if (last && isDeepStrictEqual(last.request, request)) {
      const { producerId, isClosed } = await last.started;
      if (!isClosed) return { producerId };
    }
    const start = { request, started: this.#start(member, newProducer) };
    member.starts.set(source, start);
    try {
      const { producerId } = await start.started;
      return { producerId };
    } catch (error) {
      if (member.starts.get(source) === start) member.starts.delete(source);
      throw error;
    }
  }

  async #start(member: Member, newProducer: NewProducer): Promise<Publication> {
    if (member.isViewer) throw viewersCannotPublish();
    const { members, subscriptions, notifier, demand, arrivals } = this.#deps;
    const { source, rtpParameters, paused, tellsArrival, along } = newProducer;
    this.end(member.publications.get(source));
    await applyPause(member, subscriptions);
    const producing = member.router.produce({
      key: member.key,
      kind: kindOf(source),
      rtpParameters,
      paused: paused || along !== undefined,
      keyFrameIntervalMs: tellsArrival ? streamKeyFrameMs : keyFrameMs,
      isSpeech: member.isMultiparty && source === 'microphone',
    });
    const { producerId } = await unlessLeft(member, producing);
    const decided = member.decidedSince(newProducer);
    if (decided === 'closed') {
      await member.router.closeProducer({ producerId });
      throw viewersCannotPublish();
    }
    // If two requests for the same source run concurrently, the one that finishes last wins, unless both got the same producer.
    const other = member.publications.get(source);
    if (other?.producerId === producerId) return other;
    this.end(other);
    const publication = member.send(producerId, newProducer);
    if (decided) publication.isHalted = decided === 'paused';
    if (tellsArrival) arrivals.watch(member);
    await applyPause(member, subscriptions);
    notifier.updated(member);
    this.#refreshSpeakers(member);
    await Promise.all(members.othersOf(member).map((other) => this.offer(other, publication)));
    demand.refresh(publication);
    return publication;
  }

  /** Ends the publication of a source, and those that depend on it (`along`). */
  close(member: Member, source: Source): void {
    if (!member.publications.has(source)) return;
    for (const publication of [...member.publications.values()])
      if (publication.source === source || publication.along === source) this.end(publication);
    this.#deps.notifier.updated(member);
  }

  /** @returns false when the member does not publish the source */
  async setPaused(member: Member, source: Source, paused: boolean): Promise<boolean> {
    const publication = member.publications.get(source);
    if (!publication) return false;
    publication.isHalted = paused;
    await applyPause(member, this.#deps.subscriptions);
    this.#deps.notifier.updated(member);
    this.#refreshSpeakers(member);
    return true;
  }

  async countPackets({ router, publications }: Member): Promise<PacketCount[]> {
    const all = [...publications.values()];
    const { counts } = await router.countPackets({ producerIds: all.map(({ producerId }) => producerId) });
    const packetsOf = new Map(counts.map(({ producerId, packets }) => [producerId, packets]));
    return all.map(({ source, producerId }) => ({ source, packets: packetsOf.get(producerId) ?? 0 }));
  }

  end(publication: Publication | undefined): void {
    if (!publication || publication.isClosed) return;
    publication.isClosed = true;
    const { subscriptions, speakers, speakerForwarder, demand, routers, log } = this.#deps;
    const { from, home, source, producerId } = publication;
    if (from.publications.get(source) === publication) from.publications.delete(source);
    speakers.forget(publication);
    speakerForwarder.forget(publication);
    demand.forget(publication);
    // A router that does not answer is gone or about to close, so a failure is only logged.
    const done = [home.closeProducer({ producerId }), subscriptions.close(publication)];
    routers.closeIdle();
    for (const closing of done) {
      closing.catch((err: unknown) => log.warn({ err, producerId }, 'producer could not be closed'));
    }
  }

  /** Creates the consumers of a member that enters. They are part of the answer to it, so they are not offered. */
  async receiveAll(to: Member, publications: Publication[]): Promise<Received[]> {
    const received = await Promise.all(
      publications
        .filter((publication) => this.isWanted(to, publication))
        .map(async (publication) => ({
          publication,
          consumer: await this.#deps.subscriptions.receive(to, publication),
        })),
    );
    return received.flatMap(({ publication, consumer }) => (consumer ? [{ publication, consumer }] : []));
  }

  async offer(to: Member, publication: Publication): Promise<void> {
    if (!this.isWanted(to, publication)) return;
    const { subscriptions, notifier } = this.#deps;
    const consumer = await subscriptions.receive(to, publication);
    const subscription = consumer && to.subscriptions.get(consumer.id);
    if (subscription) notifier.offered(subscription);
  }

  /**
   * Whether a member should receive a publication. An egress receives only the sources it was opened for, a player no shared screen, other
   * members all that are forwarded.
   */
  isWanted(to: Member, publication: Publication): boolean {
    const { egresses, isReceiver, isPlayer } = to;
    if (!isReceiver) return false;
    const view = viewOf(publication.source);
    if (egresses) return egresses.identity === publication.from.identity && egresses.shows === view;
    // A player has one transceiver of each kind: two sources in it would replace each other again and again.
    if (isPlayer && view === 'screen') return false;
    return this.#deps.speakers.isForwarded(publication) && to.identity !== publication.from.identity;
  }

  #refreshSpeakers({ isMultiparty }: Member): void {
    const { speakers, speakerForwarder } = this.#deps;
    if (isMultiparty && speakers.refresh()) speakerForwarder.refresh();
  }
}
