import { parseOffer, type SdpOffer } from '../../../media/sdp/SdpOffer.ts';
import { declareSources, watcherOf, type Watcher } from '../../../media/sdp/watching.ts';
import { writeAnswer } from '../../../media/sdp/writeAnswer.ts';
import type { JoinedPeer, NewPeer } from '../../../media/roomOperations.ts';
import { ParleyError } from '../../../sdk/protocol/errors.ts';
import { newId } from '../../../sdk/protocol/ids.ts';
import type { Subnet } from '../../../platform/limits/subnets.ts';
import type { AdmittedViewer, Watching } from '../../../signaling/streaming/StreamGateway.ts';
import { PlayerMedia } from './PlayerMedia.ts';
import type {
  BegunSession,
  NewSession,
  OwnSession,
  WebrtcSessions,
  WebrtcSessionsDeps,
} from './WebrtcSessions.ts';

type PlayersDeps = Pick<WebrtcSessionsDeps, 'cluster' | 'gateway'> & { sessions: WebrtcSessions };

/** Delay after which players retry a stream that has not started. */
const notYetSeconds = 5;

/** Starts the sessions of WHEP players. */
export class Players {
  readonly #deps: PlayersDeps;

  constructor(deps: PlayersDeps) {
    this.#deps = deps;
  }

  /** @throws ParleyError */
  async begin(
    playbackId: string,
    token: string | null,
    subnets: readonly Subnet[],
    offerText: string,
  ): Promise<BegunSession & { streamId: string }> {
    const { gateway, sessions } = this.#deps;
    const viewer = await gateway.admit(playbackId, token, subnets);
    const offer = parseOffer(offerText);
    const watcher = watcherOf(offer);
    sessions.refuseTooMany();
    const media = new PlayerMedia(watcher.needsSources);
    const { session, watching } = this.#create(viewer, media);
    sessions.adopt(session);
    try {
      const made = await this.#join({ ...session, media }, watching, offer, watcher);
      return { ...(await sessions.begin(session, made)), streamId: viewer.streamId };
    } catch (error) {
      await sessions.end(session.peerId, 'session failed to start');
      throw error;
    }
  }

  async #join(
    { streamId, peerId, media }: OwnSession & { media: PlayerMedia },
    watching: Watching,
    offer: SdpOffer,
    { rtpCapabilities, payloadTypes, answers, needsSources }: Watcher,
  ): Promise<NewSession> {
    const { cluster, gateway, sessions } = this.#deps;
    const peer = await gateway.watching(streamId, watching);
    const joined = await this.#enter(streamId, { ...peer, rtpCapabilities, payloadTypes });
    const { recvTransport: transport } = joined;
    await cluster.room(streamId).connectTransport({
      peerId,
      transportId: transport.id,
      dtlsParameters: {
        role: offer.isPassive ? 'server' : 'client',
        fingerprints: offer.fingerprints,
      },
    });
    for (const { consumer } of joined.consumers) media.add(consumer);
    media.published(joined.peers.flatMap(({ sending }) => sending));
    await media.settled();
    const ids = joined.consumers.map(({ consumer }) => consumer.id);
    sessions.resume(streamId, peerId, ids);
    const sources = media.declare();
    const declared = needsSources ? declareSources(answers, sources) : answers;
    const mids = answers.flatMap((answer) => (answer ? [answer.section.mid] : []));
    return { answer: writeAnswer(offer, declared, transport), mids, transport };
  }

  async #enter(streamId: string, peer: NewPeer): Promise<JoinedPeer> {
    try {
      return await this.#deps.cluster.room(streamId).join(peer);
    } catch (error) {
      if (!(error instanceof ParleyError) || error.code !== 'NOT_FOUND') throw error;
      throw new ParleyError('CONFLICT', 'This stream has not started yet. Try again in a few seconds.', {
        retryAfter: notYetSeconds,
      });
    }
  }

  #create(
    { streamId, viewer, walletAddress }: AdmittedViewer,
    media: PlayerMedia,
  ): { session: OwnSession; watching: Watching } {
    const { gateway, sessions } = this.#deps;
    const peerId = newId('par');
    const watching: Watching = {
      watchingId: peerId,
      viewer,
      walletAddress,
      via: 'whep',
      onRemoved: () => void sessions.end(peerId, 'viewer no longer admitted'),
    };
    const keep = async () => void (await gateway.watching(streamId, watching));
    return { session: { kind: 'whep', streamId, peerId, identity: peerId, keep, media }, watching };
  }
}
