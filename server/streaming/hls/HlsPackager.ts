import { setTimeout as delay } from 'node:timers/promises';
import type { Packaged, Packager } from '../../../media/Packaging.ts';
import { ParleyError } from '../../../sdk/protocol/errors.ts';
import { HlsPackage, type PackagerOptions } from './HlsPackage.ts';

/** The maximum wait for the first segments. It is shorter than the time limit of requests between nodes. */
const waitMs = 3_500;
const lookMs = 100;
const fileName = /^\d+-\d+\.ts$/;

/** Makes the segments of this node's rooms while viewers request them, one package per room. */
export class HlsPackager implements Packager {
  readonly #options: PackagerOptions;
  readonly #packages = new Map<string, HlsPackage>();

  constructor(options: PackagerOptions) {
    this.#options = options;
    const { local } = options;
    local.on('egressChanged', ({ roomId, to }) => this.#packages.get(roomId)?.onEgressLost(to.peerId));
    local.on('peerUpdated', ({ roomId }) => this.#packages.get(roomId)?.onSwitched());
    const onLost = (roomId: string, peers: { peerId: string }[]) => {
      for (const { peerId } of peers) this.#packages.get(roomId)?.onEgressLost(peerId);
    };
    local.on('roomRestarted', ({ roomId, lost }) => onLost(roomId, lost));
    local.on('roomMoving', ({ roomId, peers }) => onLost(roomId, peers));
  }

  async playlist(roomId: string): Promise<Packaged> {
    const deadline = performance.now() + waitMs;
    // Fails if the room does not exist.
    if (!this.#packages.has(roomId)) await this.#options.local.room(roomId).peers({});
    for (;;) {
      const made = this.#of(roomId);
      if (made.packaged) return made.packaged;
      if (made.isRefused) throw noSlot();
      if (performance.now() > deadline) throw notYet();
      await delay(lookMs);
    }
  }

  async file(roomId: string, packageId: string, name: string): Promise<Buffer | null> {
    const made = this.#packages.get(roomId);
    if (made?.id !== packageId || !fileName.test(name)) return null;
    return made.file(name);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#packages.values()].map((made) => made.close()));
  }

  #of(roomId: string): HlsPackage {
    const there = this.#packages.get(roomId);
    if (there) return there;
    const made: HlsPackage = new HlsPackage({
      ...this.#options,
      roomId,
      onClosed: () => this.#packages.get(roomId) === made && this.#packages.delete(roomId),
    });
    this.#packages.set(roomId, made);
    return made;
  }
}

const notYet = () =>
  new ParleyError('SERVICE_UNAVAILABLE', 'This stream has no segments yet. Try again in a moment.', {
    retryAfter: 1,
  });

const noSlot = () =>
  new ParleyError(
    'SERVICE_UNAVAILABLE',
    'This server has no capacity for HLS of another stream. Watch by WHEP or the app, or try again later.',
    { retryAfter: 10 },
  );
