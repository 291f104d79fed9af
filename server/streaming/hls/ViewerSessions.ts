import { z } from 'zod';
import { isOutage } from '../../../platform/errors.ts';
import { isSignatureOf, signatureOf } from '../../../platform/signature.ts';
import type { Address } from '../../../sdk/protocol/common.ts';
import { randomBase62 } from '../../../sdk/protocol/ids.ts';
import type { AdmittedViewer, StreamGateway } from '../../../signaling/streaming/StreamGateway.ts';
import type { Keys } from '../../../platform/keys.ts';

const form = z.strictObject({
  playbackId: z.string(),
  streamId: z.string(),
  watchingId: z.string(),
  viewer: z.string(),
  walletAddress: z.string().nullable(),
  /** The stream's discontinuity sequence when the session began. */
  discontinuities: z.number(),
});
export type ViewerSession = z.infer<typeof form>;

/**
 * How often a viewer is reported to the stream gateway, which removes a viewer after 30 s without a report. A viewer who is banned, or no
 * longer passes the gate, is cut off soon after this interval.
 */
const reportMs = 10_000;
const forgottenMs = 60_000;
const maxCharacters = 2_000;

/**
 * Sessions of HLS viewers. The first playlist refers to a URL that contains the sealed session, because players send nothing but the URL.
 * Every node can read the session.
 */
export class ViewerSessions {
  readonly #gateway: StreamGateway;
  readonly #keys: Keys;
  /** By watching id: the time of the last report to the gateway, and the result of the last one that was answered. */
  readonly #known = new Map<string, { reportedAt: number; report: Promise<unknown> }>();
  readonly #timer: NodeJS.Timeout;

  constructor(gateway: StreamGateway, keys: Keys) {
    this.#gateway = gateway;
    this.#keys = keys;
    this.#timer = setInterval(() => {
      const before = performance.now() - forgottenMs;
      for (const [id, { reportedAt }] of this.#known) if (reportedAt < before) this.#known.delete(id);
    }, forgottenMs).unref();
  }

  /** @returns the sealed session */
  begin(playbackId: string, admitted: AdmittedViewer, discontinuities: number): string {
    return this.#seal({ playbackId, watchingId: randomBase62(24), ...admitted, discontinuities });
  }

  /** @returns null if it is not a session of this stream */
  read(playbackId: string, sealed: unknown): ViewerSession | null {
    const session = this.#open(sealed);
    return session?.playbackId === playbackId ? session : null;
  }

  /**
   * Reports to the gateway that the viewer still watches. An answer is waited for only at the first time on this node: players give up when a
   * playlist comes late or fails, as it would while the database is away.
   * @param token the one with which the session began, which counts if the viewer has been away
   * @param isNow whether to report and to wait for the answer even if the last report was recent
   * @throws ParleyError if the gateway refuses the viewer
   */
  async renew(session: ViewerSession, token: string | null, isNow = false): Promise<void> {
    const { watchingId } = session;
    const known = this.#known.get(watchingId);
    if (isNow || !known) return this.#report(session, token);
    if (performance.now() - known.reportedAt > reportMs)
      this.#report(session, token, known.report).catch(() => undefined);
    await known.report;
  }

  /**
   * @param before the report before this one, which counts if this one fails because the database is away
   * @throws ParleyError if the gateway refuses the viewer
   */
  async #report(session: ViewerSession, token: string | null, before?: Promise<unknown>): Promise<void> {
    const { watchingId, streamId, viewer } = session;
    const report = this.#gateway.watching(streamId, {
      watchingId,
      viewer,
      walletAddress: session.walletAddress as Address | null,
      via: 'hls',
      token,
      // Without a known report, the next request for a playlist reports again, and is refused.
      onRemoved: () => this.#known.delete(watchingId),
    });
    this.#known.set(watchingId, { reportedAt: performance.now(), report: before ?? report });
    try {
      await report;
    } catch (error) {
      // A refusal is not remembered, because the viewer may be admitted again.
      if (!before || !isOutage(error)) this.#known.delete(watchingId);
      throw error;
    }
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #seal(session: ViewerSession): string {
    const text = Buffer.from(JSON.stringify(session)).toString('base64url');
    return `${text}.${signatureOf(this.#keys, text)}`;
  }

  #open(sealed: unknown): ViewerSession | null {
    if (typeof sealed !== 'string' || sealed.length > maxCharacters) return null;
    const [text = '', signature = ''] = sealed.split('.');
    if (!isSignatureOf(this.#keys, text, signature)) return null;
    return form.parse(JSON.parse(Buffer.from(text, 'base64url').toString()));
  }
}
