import { parseOffer } from '../../../media/sdp/SdpOffer.ts';
import { declareSources, watcherOf } from '../../../media/sdp/watching.ts';
import type { JoinedPeer, RoomOperations } from '../../../media/roomOperations.ts';
import { ParleyError } from '../../../sdk/protocol/errors.ts';
import { newId } from '../../../sdk/protocol/ids.ts';
import type { Subnet } from '../../../platform/limits/subnets.ts';
import type { AdmittedViewer, Watching } from '../../../signaling/streaming/StreamGateway.ts';
import { PlayerMedia } from './PlayerMedia.ts';
import type { BegunSession, OwnSession, WebrtcSessions, WebrtcSessionsDeps } from './WebrtcSessions.ts';

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
  ): Promise<BegunSession> {
    const { gateway, sessions } = this.#deps;
    const viewer = await gateway.admit(playbackId, token, subnets);
    const offer = parseOffer(offerText);
    const { rtpCapabilities, payloadTypes, answers, needsSources } = watcherOf(offer);
    const media = new PlayerMedia(needsSources);
    const { session, watching } = this.#create(viewer, media);
    const { streamId, peerId } = session;
    return sessions.begin(session, offer, async () => {
      const peer = await gateway.watching(streamId, watching);
      const { dtlsParameters } = offer;
      const joined = await this.#join(streamId, {
        ...peer,
        rtpCapabilities,
        payloadTypes,
        dtlsParameters,
        // Other clients than browsers need not.
        ...(needsSources ? { consents: false } : {}),
        producers: [],
      });
      for (const { consumer } of joined.consumers) media.add(consumer);
      media.published(joined.peers.flatMap(({ sending }) => sending));
      await media.settled();
      const ids = joined.consumers.map(({ consumer }) => consumer.id);
      sessions.resume(streamId, peerId, ids);
      const sources = media.declare();
      return {
        answers: needsSources ? declareSources(answers, sources) : answers,
        transport: joined.recvTransport,
      };
    });
  }

  async #join(streamId: string, peer: Parameters<RoomOperations['joinConnected']>[0]): Promise<JoinedPeer> {
    try {
      return await this.#deps.cluster.room(streamId).joinConnected(peer);
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
    const recordAgain = async () => void (await gateway.watching(streamId, watching));
    return { session: { kind: 'whep', streamId, peerId, identity: peerId, recordAgain, media }, watching };
  }
}
