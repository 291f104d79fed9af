import { createHmac, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import type { Address } from '../../../sdk/protocol/common.ts';
import { randomBase62 } from '../../../sdk/protocol/ids.ts';
import type { AdmittedViewer, StreamGateway } from '../../../signaling/streaming/StreamGateway.ts';

const form = z.strictObject({
  playbackId: z.string(),
  streamId: z.string(),
  watchingId: z.string(),
  viewer: z.string(),
  walletAddress: z.string().nullable(),
  /** What the stream's discontinuities had been counted to when it began. */
  discontinuities: z.number(),
});
export type ViewerSession = z.infer<typeof form>;

/** The doors forget a viewer they hear nothing of for 30 s. A ban, or a gate that is passed no more, ends watching within this. */
const toldMs = 10_000;
const forgottenMs = 60_000;
const mostCharacters = 2_000;

/**
 * Who watches by HLS, from the first playlist on: that one's address leads to another which says who it is, since a player shows
 * nothing of its own. Any node understands it.
 */
export class ViewerSessions {
  readonly #gateway: StreamGateway;
  readonly #key: Buffer;
  /** By watching: when the doors were told of it last, and what they said. */
  readonly #known = new Map<string, { toldAt: number; told: Promise<unknown> }>();
  readonly #timer: NodeJS.Timeout;

  constructor(gateway: StreamGateway, key: Buffer) {
    this.#gateway = gateway;
    this.#key = key;
    this.#timer = setInterval(() => {
      const before = Date.now() - forgottenMs;
      for (const [id, { toldAt }] of this.#known) if (toldAt < before) this.#known.delete(id);
    }, forgottenMs).unref();
  }

  /** @returns the session, sealed */
  begin(playbackId: string, admitted: AdmittedViewer, discontinuities: number): string {
    return this.#seal({ playbackId, watchingId: randomBase62(24), ...admitted, discontinuities });
  }

  /** @returns null for one that is no session of this stream */
  read(playbackId: string, sealed: unknown): ViewerSession | null {
    const session = this.#open(sealed);
    return session?.playbackId === playbackId ? session : null;
  }

  /** @param isNow asks, however short ago that was done. @throws ParleyError as the doors say */
  async goOn(session: ViewerSession, isNow = false): Promise<void> {
    const { watchingId, streamId, viewer } = session;
    const walletAddress = session.walletAddress as Address | null;
    let known = this.#known.get(watchingId);
    if (!known || isNow || Date.now() - known.toldAt > toldMs) {
      const told = this.#gateway.watching(streamId, {
        ...{ watchingId, viewer, walletAddress, via: 'hls' },
        // The next playlist is refused.
        onRemoved: () => this.#known.delete(watchingId),
      });
      known = { toldAt: Date.now(), told };
      this.#known.set(watchingId, known);
      // Who is refused is asked for each time: it may be let in again.
      told.catch(() => this.#known.delete(watchingId));
    }
    await known.told;
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #seal(session: ViewerSession): string {
    const text = Buffer.from(JSON.stringify(session)).toString('base64url');
    return `${text}.${this.#signatureOf(text)}`;
  }

  #open(sealed: unknown): ViewerSession | null {
    if (typeof sealed !== 'string' || sealed.length > mostCharacters) return null;
    const [text = '', signature = ''] = sealed.split('.');
    const [given, right] = [Buffer.from(signature), Buffer.from(this.#signatureOf(text))];
    if (given.length !== right.length || !timingSafeEqual(given, right)) return null;
    return form.parse(JSON.parse(Buffer.from(text, 'base64url').toString()));
  }

  #signatureOf(text: string): string {
    return createHmac('sha256', this.#key).update(text).digest('base64url');
  }
}
