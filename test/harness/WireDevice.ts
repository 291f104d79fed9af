import type { Socket } from 'socket.io-client';
import { vp8 } from './mediaWorld.ts';
import type { Scope, Source } from '../../sdk/protocol/media.ts';
import type { EventOf, RequestInput, RequestName, ResponseOf } from '../../sdk/protocol/wire.ts';
import { protocolVersion } from '../../sdk/protocol/version.ts';
import { send, socket as socketTo } from '../integration/support.ts';
import { standsStill, SyntheticPeer, type PeersMedia } from './SyntheticPeer.ts';

/** A wallet's device with bare requests, whose sound and picture are real: libwebrtc's, through a server's media. */
export class WireDevice {
  readonly #socket: Socket;
  readonly #heard: [name: string, payload: unknown][] = [];
  #peer: SyntheticPeer | null = null;
  #rtpCapabilities: unknown;

  static async connect(url: string, token: string): Promise<WireDevice> {
    const device = new WireDevice(socketTo(url, { token, protocolVersion }));
    const { rtpCapabilities } = await device.heard<{ rtpCapabilities: unknown }>('session:welcome');
    device.#rtpCapabilities = rtpCapabilities;
    return device;
  }

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.onAny((name: string, payload: unknown) => this.#heard.push([name, payload]));
    // As the SDK does: a picture that nobody looks at is not sent.
    socket.on('media:layers', ({ source, layer }: EventOf<'media:layers'>) => {
      this.#peer?.setSeen(source, layer >= 0);
    });
  }

  /** @throws ErrorBody */
  async ask<Name extends RequestName>(name: Name, payload: RequestInput<Name>): Promise<ResponseOf<Name>> {
    const answer = await send(this.#socket, name, payload);
    if (!answer.ok) throw Object.assign(new Error(answer.error.message), answer.error);
    return answer.data as ResponseOf<Name>;
  }

  /** Speaks, and shows a picture, to whoever is in the room. */
  async perform(scope: Scope, id: string, sources: Source[] = ['microphone', 'camera']): Promise<void> {
    this.#peer ??= await SyntheticPeer.join(this.#media(scope, id), id, 'device', { listens: false });
    if (sources.includes('microphone')) await this.#peer.speak();
    for (const source of ['camera', 'screen'] as const)
      if (sources.includes(source)) {
        await this.#peer.show({ source, width: 320, height: 180, layers: source === 'camera' ? 2 : 1 });
      }
  }

  /** Waits until nobody looks at its camera, and it sends nothing any more. */
  async unseen(): Promise<void> {
    await this.heard<EventOf<'media:layers'>>(
      'media:layers',
      ({ source, layer }) => source === 'camera' && layer === -1,
    );
    await standsStill(async () => (await this.#peer?.picturePackets()) ?? 0, 'no picture is sent');
  }

  /** Is to be sending a picture, and sends nothing: as where a camera is blocked. */
  async pretend(scope: Scope, id: string): Promise<void> {
    await this.ask('media.produce', { scope, id, source: 'camera', rtpParameters: vp8() });
  }

  /** The event of this name that fits, past or to come. */
  async heard<T>(name: string, fits: (payload: T) => boolean = () => true): Promise<T> {
    const deadline = Date.now() + 30_000;
    for (;;) {
      const found = this.#heard.find(([event, payload]) => event === name && fits(payload as T));
      if (found) return found[1] as T;
      if (Date.now() > deadline) throw new Error(`no ${name}; heard ${JSON.stringify(this.#heard)}`);
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
  }

  /** All events of this name so far. */
  seen<T>(name: string): T[] {
    return this.#heard.filter(([event]) => event === name).map(([, payload]) => payload as T);
  }

  close(): void {
    this.#peer?.close();
    this.#socket.disconnect();
  }

  #media(scope: Scope, id: string): PeersMedia {
    const room = { scope, id };
    const asked = async (done: Promise<unknown>) => void (await done);
    return {
      rtpCapabilities: this.#rtpCapabilities,
      join: async (_roomId, { rtpCapabilities }) => {
        const { sendTransport, recvTransport } = await this.ask('media.join', { ...room, rtpCapabilities });
        return { sendTransport, recvTransport, replaced: null, peers: [], consumers: [] };
      },
      connectTransport: (_roomId, _peerId, transportId, dtlsParameters) =>
        asked(this.ask('media.connectTransport', { ...room, transportId, dtlsParameters })),
      produce: (_roomId, _peerId, { source, rtpParameters, size }) =>
        this.ask('media.produce', { ...room, source, rtpParameters, size }),
      resumeConsumers: () => Promise.resolve(),
      setViews: () => Promise.resolve(),
      leave: () => asked(this.ask('media.leave', room)),
      on: () => undefined,
    };
  }
}
