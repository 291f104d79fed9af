import type { Socket } from 'socket.io-client';
import { newPeer, opus, vp8 } from '../harness/media/mediaFixtures.ts';
import { newId } from '../../sdk/protocol/ids.ts';
import type { RequestInput, RequestName, ResponseOf } from '../../sdk/protocol/wire.ts';
import type { WireSession } from '../../sdk/protocol/session.ts';
import { connected, newWallet, send, signIn } from '../integration/support.ts';
import type { Random } from './mutate.ts';

export interface Device {
  socket: Socket;
  session: WireSession;
  /** The ids of the device's transports, producers and consumers. */
  mediaIds: string[];
  isBusy: boolean;
}

/** What requests refer to: two wallets that share a call, a room and a stream, all with real transports, producers and consumers. */
export class Scene {
  readonly devices: Device[];
  /** One existing id of each kind, by its prefix. */
  readonly ids = new Map<string, string>();

  static async open(url: string): Promise<Scene> {
    const scene = new Scene(await Promise.all([0, 1].map(() => deviceOf(url))));
    await scene.#fill();
    return scene;
  }

  private constructor(devices: Device[]) {
    this.devices = devices;
  }

  /** Replaces most ids, wallets and media parameters of a sample with real ones of this scene. */
  revive(sample: unknown, random: Random, key = ''): unknown {
    if (key === 'rtpCapabilities') return newPeer('any').rtpCapabilities;
    if (key === 'rtpParameters') return random.pick([opus, vp8])();
    if (key === 'dtlsParameters')
      return { role: 'client', fingerprints: [{ algorithm: 'sha-256', value: fingerprint }] };
    if (typeof sample === 'string') return this.#reviveText(sample, random, key);
    if (Array.isArray(sample)) return sample.map((item) => this.revive(item, random, key.replace(/s$/, '')));
    if (typeof sample !== 'object' || sample === null) return sample;
    const revived: Record<string, unknown> = Object.fromEntries(
      Object.entries(sample).map(([name, value]) => [name, this.revive(value, random, name)]),
    );
    if ('scope' in revived) {
      const [scope, prefix] = random.pick([
        ['call', 'call'],
        ['conference', 'room'],
        ['stream', 'str'],
      ] as const);
      Object.assign(revived, { scope, id: this.ids.get(prefix) });
    }
    if ('source' in revived) revived.source = random.pick(['camera', 'microphone', 'screen', 'screen-audio']);
    return revived;
  }

  close(): void {
    for (const { socket } of this.devices) socket.disconnect();
  }

  #reviveText(text: string, random: Random, key: string): string {
    const [, prefix = ''] = /^([a-z]+)_0{24}$/.exec(text) ?? [];
    // Some ids are kept, which the server does not know. A new message, for example, needs an unknown id.
    if (prefix && random.chance(0.9)) return this.ids.get(prefix) ?? text;
    if (/^0x(ab){20}$/.test(text)) return random.pick(this.devices).session.walletAddress ?? text;
    if (/^(transport|consumer|producer)Id$/.test(key))
      return random.pick([text, ...this.devices.flatMap(({ mediaIds }) => mediaIds)]);
    return text;
  }

  async #fill(): Promise<void> {
    const [alice, bob] = this.devices as [Device, Device];
    const { ids } = this;
    const to = bob.session.walletAddress ?? '';
    const call = await ask(alice, 'calls.start', { to, type: 'video' });
    ids.set('call', call.id);
    await ask(bob, 'calls.answer', { callId: call.id });
    // Empty rooms are closed soon, so that they no longer use memory when it is measured.
    const settings = { emptyTimeout: 5 };
    const room = await ask(alice, 'conference.create', { name: 'a room', maxParticipants: 8, settings });
    ids.set('room', room.id);
    for (const device of this.devices) await ask(device, 'conference.join', { roomId: room.id });
    const stream = await ask(alice, 'streaming.create', { title: 'a stream' });
    ids.set('str', stream.id);
    await ask(alice, 'streaming.start', { streamId: stream.id });
    await ask(bob, 'streaming.watch', { streamId: stream.id });
    const message = await ask(alice, 'messages.send', {
      id: newId('msg'),
      to,
      content: 'Hello',
      type: 'text',
    });
    ids.set('msg', message.id);
    for (const [scope, id] of [
      ['call', call.id],
      ['conference', room.id],
      ['stream', stream.id],
    ] as const) {
      for (const device of this.devices) {
        const { rtpCapabilities } = newPeer('any');
        const joined = await ask(device, 'media.join', { scope, id, rtpCapabilities });
        const { sendTransport, recvTransport, consumers, participant } = joined;
        device.mediaIds.push(recvTransport.id, ...consumers.map((consumer) => consumer.id));
        if (scope === 'conference') ids.set('par', participant.id);
        if (!sendTransport) continue;
        device.mediaIds.push(sendTransport.id);
        const produce = (source: 'camera' | 'microphone', rtpParameters: ReturnType<typeof opus>) =>
          ask(device, 'media.produce', { scope, id, source, rtpParameters });
        for (const produced of [await produce('microphone', opus()), await produce('camera', vp8())])
          device.mediaIds.push(produced.producerId);
      }
    }
  }
}

const fingerprint = Array.from({ length: 32 }, () => 'AB').join(':');

async function deviceOf(url: string): Promise<Device> {
  const session = await signIn(url, newWallet());
  return { socket: await connected(url, session.token), session, mediaIds: [], isBusy: false };
}

async function ask<Name extends RequestName>(
  { socket }: Device,
  name: Name,
  payload: RequestInput<Name>,
): Promise<ResponseOf<Name>> {
  const answer = await send(socket, name, payload);
  if (!answer.ok) throw new Error(`${name}: ${JSON.stringify(answer.error)}`);
  return answer.data as ResponseOf<Name>;
}
