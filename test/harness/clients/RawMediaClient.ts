import type { Socket } from 'socket.io-client';
import { vp8 } from '../media/mediaFixtures.ts';
import type { Scope, Source } from '../../../sdk/protocol/media.ts';
import type { EventOf, RequestInput, RequestName, ResponseOf } from '../../../sdk/protocol/wire.ts';
import { protocolVersion } from '../../../sdk/protocol/version.ts';
import { send, socket as socketTo } from '../../integration/support.ts';
import { ReceivedEvents } from './ReceivedEvents.ts';
import { waitUntilUnchanged, SyntheticPeer, type PeerMedia } from './SyntheticPeer.ts';

/** A wallet's device that uses no SDK: it sends raw requests, and real audio and video from libwebrtc. */
export class RawMediaClient {
  readonly #socket: Socket;
  readonly events: ReceivedEvents;
  #peer: SyntheticPeer | null = null;
  #rtpCapabilities: unknown;

  static async connect(url: string, token: string): Promise<RawMediaClient> {
    const device = new RawMediaClient(socketTo(url, { token, protocolVersion }));
    const { rtpCapabilities } = await device.events.first<{ rtpCapabilities: unknown }>('session:welcome');
    device.#rtpCapabilities = rtpCapabilities;
    return device;
  }

  private constructor(socket: Socket) {
    this.#socket = socket;
    this.events = new ReceivedEvents(socket);
    // Like the SDK, stop sending a video that has no viewers.
    socket.on('media:layers', ({ source, layer }: EventOf<'media:layers'>) => {
      this.#peer?.setViewed(source, layer >= 0);
    });
  }

  /** @throws ErrorBody */
  async ask<Name extends RequestName>(name: Name, payload: RequestInput<Name>): Promise<ResponseOf<Name>> {
    const answer = await send(this.#socket, name, payload);
    if (!answer.ok) throw Object.assign(new Error(answer.error.message), answer.error);
    return answer.data as ResponseOf<Name>;
  }

  /** Joins a room's media unless already joined, and sends these sources. */
  async publish(scope: Scope, id: string, sources: Source[] = ['microphone', 'camera']): Promise<void> {
    this.#peer ??= await SyntheticPeer.join(this.#media(scope, id), id, 'device', { consumes: false });
    if (sources.includes('microphone')) await this.#peer.speak();
    for (const source of ['camera', 'screen'] as const)
      if (sources.includes(source)) {
        await this.#peer.show({ source, width: 320, height: 180, layers: source === 'camera' ? 2 : 1 });
      }
  }

  /** Waits until this client's camera has no viewers and it no longer sends video. */
  async waitUntilUnviewed(): Promise<void> {
    await this.events.first<EventOf<'media:layers'>>(
      'media:layers',
      ({ source, layer }) => source === 'camera' && layer === -1,
    );
    await waitUntilUnchanged(async () => (await this.#peer?.videoPacketsSent()) ?? 0, 'no video is sent');
  }

  /** Produces a camera video without sending media, as when the camera is blocked. */
  async produceWithoutMedia(scope: Scope, id: string): Promise<void> {
    await this.ask('media.produce', { scope, id, source: 'camera', rtpParameters: vp8() });
  }

  close(): void {
    this.#peer?.close();
    this.#socket.disconnect();
  }

  #media(scope: Scope, id: string): PeerMedia {
    const room = { scope, id };
    const settled = async (done: Promise<unknown>) => void (await done);
    const operations: ReturnType<PeerMedia['room']> = {
      join: async ({ rtpCapabilities }) => {
        const { sendTransport, recvTransport } = await this.ask('media.join', { ...room, rtpCapabilities });
        return { sendTransport, recvTransport, replaced: null, peers: [], consumers: [] };
      },
      connectTransport: ({ transportId, dtlsParameters }) =>
        settled(this.ask('media.connectTransport', { ...room, transportId, dtlsParameters })),
      produce: ({ source, rtpParameters, size }) =>
        this.ask('media.produce', { ...room, source, rtpParameters, size }),
      resumeConsumers: () => Promise.resolve(),
      setViews: () => Promise.resolve(),
      leave: () => settled(this.ask('media.leave', room)),
    };
    return { rtpCapabilities: this.#rtpCapabilities, room: () => operations, on: () => undefined };
  }
}
