import { publishingOf } from '../../../media/sdp/publishing.ts';
import { parseOffer } from '../../../media/sdp/SdpOffer.ts';
import { newId } from '../../../sdk/protocol/ids.ts';
import { publisherIdentity } from '../../../signaling/streaming/StreamGateway.ts';
import type { BegunSession, WebrtcSessions, WebrtcSessionsDeps } from './WebrtcSessions.ts';

type PublishersDeps = Pick<WebrtcSessionsDeps, 'cluster' | 'gateway'> & { sessions: WebrtcSessions };

/** Starts the sessions of WHIP publishers. */
export class Publishers {
  readonly #deps: PublishersDeps;

  constructor(deps: PublishersDeps) {
    this.#deps = deps;
  }

  /**
   * Starts a session from an offer. An unusable offer does not affect the present publisher.
   * @throws ParleyError
   */
  async begin(key: string, offerText: string): Promise<BegunSession> {
    const { cluster, gateway, sessions } = this.#deps;
    const { streamId } = await gateway.streamOfKey(key);
    const offer = parseOffer(offerText);
    const { producers, answers } = publishingOf(offer);
    const peerId = newId('par');
    const session = { kind: 'whip' as const, streamId, peerId, identity: publisherIdentity };
    return sessions.begin(session, offer, async () => {
      const peer = await gateway.claim(streamId, {
        publisherId: peerId,
        key,
        via: 'whip',
        onReplaced: () => void sessions.end(peerId, 'replaced by another publisher, or stream ended'),
      });
      const { sendTransport: transport } = await cluster.room(streamId).joinConnected({
        ...peer,
        rtpCapabilities: { codecs: [], headerExtensions: [] },
        dtlsParameters: offer.dtlsParameters,
        consents: false,
        producers: producers.map((producer) => ({ ...producer, paused: false, tellsArrival: true })),
      });
      if (!transport) throw new Error('a publisher joined without a send transport');
      return { answers, transport };
    });
  }
}
