import { setTimeout as delay } from 'node:timers/promises';
import type { ConsumerInfo } from '../../../media/MediaCluster.ts';
import { kindOf } from '../../../media/plainRtp.ts';
import type { Source } from '../../../sdk/protocol/media.ts';

const [waitTicks, waitTickMs] = [20, 50];

type Kind = ConsumerInfo['kind'];
type Sent = Pick<ConsumerInfo, 'id' | 'kind' | 'rtpParameters'>;

/** What a WHEP player is sent, and whether it can play that: WHEP has no second answer. */
export class PlayerMedia {
  /** It plays only the sources its answer declares. */
  readonly #needsSources: boolean;
  #declared: ReadonlySet<number> | null = null;
  #receives = new Map<string, Sent>();
  /** What it has been able to decode so far. */
  readonly #played = new Set<Kind>();
  #sending: readonly Source[] = [];

  constructor(needsSources: boolean) {
    this.#needsSources = needsSources;
  }

  /** One of each kind: the latest. */
  get consumers(): Sent[] {
    return [...new Map([...this.#receives.values()].map((sent) => [sent.kind, sent])).values()];
  }

  /**
   * Waits for what is published and can be declared: what comes over a pipe may be there a moment later. What the player can't decode never
   * comes, so that the wait is short.
   */
  async settled(): Promise<void> {
    if (!this.#needsSources) return;
    for (let tick = 0; tick < waitTicks && this.#misses(this.#sending.map(kindOf)); tick++)
      await delay(waitTickMs);
  }

  /** Its answer is being written: it declares what there is now. */
  declare(): Sent[] {
    const { consumers } = this;
    this.#declared = new Set(consumers.map(ssrcOf));
    return consumers;
  }

  add(sent: Sent): void {
    this.#receives.set(sent.id, sent);
    this.#played.add(sent.kind);
  }

  remove(consumerId: string): void {
    this.#receives.delete(consumerId);
  }

  /** All it receives now. */
  replace(consumers: readonly Sent[]): void {
    this.#receives = new Map();
    for (const sent of consumers) this.add(sent);
  }

  /** What the publisher sends now. */
  published(sending: readonly Source[]): void {
    this.#sending = sending;
  }

  /** Whether it misses something until it begins a new session. */
  get isStale(): boolean {
    if (!this.#declared) return false;
    const { consumers } = this;
    const isUnheardOf = (sent: Sent) => !this.#declared?.has(ssrcOf(sent));
    if (this.#needsSources && consumers.some(isUnheardOf)) return true;
    const kinds = new Set(this.#sending.map(kindOf));
    return this.#misses([...this.#played].filter((kind) => kinds.has(kind)));
  }

  #misses(kinds: readonly Kind[]): boolean {
    const { consumers } = this;
    return kinds.some((kind) => !consumers.some((sent) => sent.kind === kind));
  }
}

const ssrcOf = ({ rtpParameters }: Sent): number => rtpParameters.encodings?.[0]?.ssrc ?? 0;
