import { setTimeout as delay } from 'node:timers/promises';
import type { ConsumerInfo } from '../../../media/roomOperations.ts';
import { kindOf, viewOf } from '../../../media/plainRtp.ts';
import type { Source } from '../../../sdk/protocol/media.ts';

const [waitTicks, waitTickMs] = [20, 50];

type Kind = ConsumerInfo['kind'];
type SentConsumer = Pick<ConsumerInfo, 'id' | 'kind' | 'rtpParameters'>;

/**
 * The media that is sent to a WHEP player. Tells whether the player can still play it. If not, the player needs a new session, because WHEP
 * sessions cannot be renegotiated.
 */
export class PlayerMedia {
  /** Whether the player plays only the sources that the SDP answer declares. */
  readonly #needsSources: boolean;
  #declared: ReadonlySet<number> | null = null;
  #receives = new Map<string, SentConsumer>();
  /** The kinds of media the player has been able to decode so far. */
  readonly #played = new Set<Kind>();
  #sending: readonly Source[] = [];

  constructor(needsSources: boolean) {
    this.#needsSources = needsSources;
  }

  /** The latest consumer of each kind. */
  get consumers(): SentConsumer[] {
    return [...new Map([...this.#receives.values()].map((sent) => [sent.kind, sent])).values()];
  }

  /**
   * Waits until there is a consumer for each published kind of media, because consumers over a pipe appear a moment later. The wait is
   * short, because media that the player cannot decode never gets a consumer.
   */
  async settled(): Promise<void> {
    if (!this.#needsSources) return;
    for (let tick = 0; tick < waitTicks && this.#misses(this.#sending.map(kindOf)); tick++)
      await delay(waitTickMs);
  }

  /** Returns the present consumers for the answer, and remembers them as declared. */
  declare(): SentConsumer[] {
    const { consumers } = this;
    this.#declared = new Set(consumers.map(ssrcOf));
    return consumers;
  }

  add(sent: SentConsumer): void {
    this.#receives.set(sent.id, sent);
    this.#played.add(sent.kind);
  }

  remove(consumerId: string): void {
    this.#receives.delete(consumerId);
  }

  /** Sets the complete list of consumers. */
  replace(consumers: readonly SentConsumer[]): void {
    this.#receives = new Map();
    for (const sent of consumers) this.add(sent);
  }

  /** Sets the sources the publisher sends now. A player is sent no shared screen. */
  published(sending: readonly Source[]): void {
    this.#sending = sending.filter((source) => viewOf(source) === 'camera');
  }

  /** Whether the player cannot play a source that it is sent, because the SDP answer does not declare it. */
  get isStale(): boolean {
    const declared = this.#declared;
    return this.#needsSources && !!declared && this.consumers.some((sent) => !declared.has(ssrcOf(sent)));
  }

  /** Whether the player is not sent a kind of media that is published and that it has played before. */
  get isIncomplete(): boolean {
    if (!this.#declared) return false;
    const kinds = new Set(this.#sending.map(kindOf));
    return this.#misses([...this.#played].filter((kind) => kinds.has(kind)));
  }

  #misses(kinds: readonly Kind[]): boolean {
    const { consumers } = this;
    return kinds.some((kind) => !consumers.some((sent) => sent.kind === kind));
  }
}

const ssrcOf = ({ rtpParameters }: SentConsumer): number => rtpParameters.encodings?.[0]?.ssrc ?? 0;
