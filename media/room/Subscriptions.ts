import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { layerFor } from './layers.ts';
import { settingOf, type Member, type Reception, type Sent } from './Member.ts';
import type { ConsumerInfo, View } from '../MediaCluster.ts';
import { unreachable } from '../router/unreachable.ts';
import { PipeTrees, type Branch } from './PipeTrees.ts';
import type { RoomRouter } from '../router/RoomRouter.ts';

interface ReceptionHooks {
  /** A consumer that was not there at once waits now, paused. */
  onOffer: (reception: Reception) => void;
  /** Whether this member is to receive it (still). */
  isWanted: (to: Member, sent: Sent) => boolean;
  onClosed: (reception: Reception) => void;
  /** Somebody looks at it otherwise than before. */
  onWatched: (sent: Sent, by: Member) => void;
  /** A part's node is about to leave. */
  isLeaving: (router: RoomRouter) => boolean;
  /** What came by way of a part need not any more. */
  onReleased: () => void;
}

/**
 * For so long packets come both ways to a device that has taken the second: its key frame is there by then. They are merged to one a second,
 * one that is lost is asked for again after another, and it may come by a thin line. Counted in small pieces, so that a process that stood
 * still has not waited.
 */
const [overlapTicks, overlapTickMs] = [20, 200];
const retryDelaysMs = [100, 500, 1_000, 2_000, 5_000];

/** Who receives what in one room, from whichever part: consumers, and the pipes that bring the parts what they need. */
export class Receptions {
  readonly #trees: PipeTrees;
  readonly #hooks: ReceptionHooks;
  readonly #log: Logger;
  /** By producer. */
  readonly #of = new Map<string, Set<Reception>>();

  constructor(hooks: ReceptionHooks, log: Logger) {
    this.#hooks = hooks;
    this.#log = log;
    this.#trees = new PipeTrees((router) => hooks.isLeaving(router));
  }

  /** Makes a consumer; null where there is one, where the device can't decode it, or where it comes later. */
  async receive(to: Member, sent: Sent): Promise<ConsumerInfo | null> {
    if (to.receives.has(sent.producerId) || !this.#isThere(to, sent)) return null;
    to.receives.add(sent.producerId);
    try {
      return (await this.#make(to, sent))?.info ?? null;
    } catch (error) {
      to.receives.delete(sent.producerId);
      // Either end has gone meanwhile.
      if (!this.#isThere(to, sent)) return null;
      // What comes from the same router has no way that could be mended.
      if (sent.home === to.router) throw error;
      this.#tryAgain(to, sent, error, 0);
      return null;
    }
  }

  of(sent: Sent): Iterable<Reception> {
    return this.#of.get(sent.producerId) ?? [];
  }

  /** Consumers that closed meanwhile are passed over. */
  async ready(member: Member, consumerIds: readonly string[]): Promise<void> {
    const receptions = consumerIds.flatMap((id) => member.receptions.get(id) ?? []);
    for (const reception of receptions) reception.isReady = true;
    await this.apply(receptions);
    for (const { former } of receptions) if (former) void this.#retire(former);
  }

  /** The app shows these otherwise than before. */
  async look(member: Member, views: readonly View[]): Promise<void> {
    const looked = views.flatMap((view) => {
      const reception = member.receptions.get(view.consumerId);
      if (reception?.info.kind !== 'video') return [];
      reception.isVisible = view.isVisible;
      if (view.isVisible) reception.layer = layerFor(view, reception.sent.size, reception.sent.layers);
      return [reception];
    });
    for (const sent of new Set(looked.map((reception) => reception.sent)))
      this.#hooks.onWatched(sent, member);
    await this.apply(looked);
  }

  /** Tells the parts what has changed, and nothing else. */
  async apply(receptions: readonly Reception[]): Promise<void> {
    const byRouter = new Map<RoomRouter, Reception[]>();
    for (const reception of receptions) {
      const { applied, to } = reception;
      const wanted = settingOf(reception);
      if (wanted.paused === applied.paused && wanted.layer === applied.layer) continue;
      reception.applied = wanted;
      byRouter.set(to.router, [...(byRouter.get(to.router) ?? []), reception]);
    }
    await Promise.all([...byRouter].map(([router, changed]) => tell(router, changed)));
  }

  /** Whoever wants one of these again gets another. */
  async end(receptions: readonly Reception[]): Promise<void> {
    this.#drop(receptions);
    const byRouter = new Map<RoomRouter, string[]>();
    for (const { to, info } of receptions) byRouter.set(to.router, [...(byRouter.get(to.router) ?? []), info.id]);
    await Promise.all([...byRouter].map(([router, consumerIds]) => router.closeConsumers(consumerIds)));
  }

  setPaused(sent: Sent): Promise<void> {
    return this.#trees.setPaused(sent);
  }

  /** A producer is over: everybody's consumers of it are. */
  async close(sent: Sent): Promise<void> {
    this.#drop([...this.of(sent)]);
    this.#of.delete(sent.producerId);
    await this.#trees.close(sent);
  }

  /** A member has left: what it received is gone with its transport. */
  leave(member: Member): void {
    for (const reception of member.receptions.values()) {
      this.#of.get(reception.sent.producerId)?.delete(reception);
      this.#hooks.onWatched(reception.sent, member);
    }
    member.receptions.clear();
    this.#release();
  }

  /** A part is gone. What others had by way of it comes another way, in other consumers. */
  async forgetRouter(router: RoomRouter): Promise<void> {
    const { orphaned, cleared } = this.#trees.forget(router);
    const lost = orphaned.flatMap((branch) => this.#by(branch));
    this.#drop(lost);
    await cleared;
    await Promise.all(lost.map(({ to, sent }) => this.#offer(to, sent, 0)));
  }

  /**
   * Parts are about to leave. What others have by way of them is brought to them another way first; then each device is offered it anew,
   * and keeps what it has until it takes that.
   */
  renew(): void {
    for (const branch of this.#trees.renew())
      for (const reception of this.#by(branch)) this.#replace(reception);
    this.#release();
  }

  /** Whether others get something by way of this part. */
  isRelaying(router: RoomRouter): boolean {
    return this.#trees.isRelaying(router);
  }

  /** These consumers are gone. */
  #drop(receptions: readonly Reception[]): void {
    for (const reception of receptions) {
      const { to, sent, info } = reception;
      this.#of.get(sent.producerId)?.delete(reception);
      to.receptions.delete(info.id);
      // The one that takes its place stays, or is on its way.
      if (!reception.isFormer) to.receives.delete(sent.producerId);
      this.#hooks.onClosed(reception);
    }
    this.#release();
  }

  /** All that comes by this. */
  #by(branch: Branch): Reception[] {
    return [...(this.#of.get(branch.producerId) ?? [])].filter((reception) => reception.branch === branch);
  }

  #replace(reception: Reception): void {
    const { to, sent } = reception;
    if (reception.isFormer) return;
    // A program takes one of a kind, and no other beside it: it begins anew.
    if (to.egresses !== null || !this.#hooks.isWanted(to, sent)) return this.#drop([reception]);
    reception.isFormer = true;
    void this.#succeed(reception, 0);
  }

  async #succeed(former: Reception, attempt: number): Promise<void> {
    const { to, sent } = former;
    if (!this.#isThere(to, sent)) return;
    try {
      const reception = await this.#make(to, sent, former);
      if (reception) this.#hooks.onOffer(reception);
    } catch (err) {
      this.#later(sent, err, attempt, () => this.#succeed(former, attempt + 1));
    }
  }

  /** Another one takes its place, and is asked for at this moment. */
  async #retire(former: Reception): Promise<void> {
    const { to, info } = former;
    for (let tick = 0; tick < overlapTicks && !to.isPlayer && to.receptions.has(info.id); tick++)
      await delay(overlapTickMs, null, { ref: false });
    if (!to.receptions.has(info.id)) return;
    // A part that can't be told takes it along.
    await this.end([former]).catch(() => undefined);
  }

  #release(): void {
    if (this.#trees.release((branch) => this.#by(branch).length > 0)) this.#hooks.onReleased();
  }

  async #make(to: Member, sent: Sent, former: Reception | null = null): Promise<Reception | null> {
    const branch = await this.#trees.bring(sent, to.router);
    const producerId = branch?.id ?? sent.producerId;
    const consumer = this.#isThere(to, sent) ? await to.router.consume(to.key, producerId) : null;
    // What it came by has gone meanwhile, and it with it.
    if (this.#isThere(to, sent) && !this.#trees.isCurrent(sent, branch)) throw unreachable();
    if (!consumer || !this.#isThere(to, sent)) return null;
    const reception: Reception = {
      info: { ...consumer, producerId: sent.producerId, source: sent.source },
      ...{ sent, to, branch, former },
      isFormer: false,
      isReady: false,
      isVisible: former?.isVisible ?? true,
      isHeard: this.#hooks.isWanted(to, sent),
      layer: former?.layer ?? null,
      applied: { paused: true, layer: null },
      score: 10,
      flowing: null,
    };
    to.receptions.set(consumer.id, reception);
    this.#of.set(sent.producerId, (this.#of.get(sent.producerId) ?? new Set()).add(reception));
    this.#hooks.onWatched(sent, to);
    // A part on its way has begun to leave meanwhile.
    if (branch && this.#trees.isFormer(branch)) this.#replace(reception);
    return reception;
  }

  /** A way between two parts failed; while both are there, it is tried again, and what comes of it is offered then. */
  #tryAgain(to: Member, sent: Sent, err: unknown, attempt: number): void {
    this.#later(sent, err, attempt, () => this.#offer(to, sent, attempt + 1));
  }

  #later({ producerId }: Sent, err: unknown, attempt: number, again: () => Promise<void>): void {
    const delayMs = retryDelaysMs[Math.min(attempt, retryDelaysMs.length - 1)];
    this.#log.warn({ err, producerId, attempt }, 'a pipe failed, and is tried again');
    setTimeout(() => void again(), delayMs).unref();
  }

  /** What could not be had at once, or is lost, waits for its device when it is there. */
  async #offer(to: Member, sent: Sent, attempt: number): Promise<void> {
    if (!this.#isThere(to, sent) || to.receives.has(sent.producerId)) return;
    if (!this.#hooks.isWanted(to, sent)) return;
    to.receives.add(sent.producerId);
    try {
      const reception = await this.#make(to, sent);
      if (reception) this.#hooks.onOffer(reception);
    } catch (error) {
      to.receives.delete(sent.producerId);
      this.#tryAgain(to, sent, error, attempt);
    }
  }

  #isThere(to: Member, sent: Sent): boolean {
    return !sent.isClosed && !to.hasLeft && !to.router.isClosed && !sent.home.isClosed;
  }
}

async function tell(router: RoomRouter, changed: Reception[]): Promise<void> {
  try {
    await router.setConsumers(changed.map(({ info, applied }) => ({ consumerId: info.id, ...applied })));
  } catch (error) {
    // Whoever asks again is told again.
    for (const reception of changed)
      reception.applied = { ...reception.applied, paused: !reception.applied.paused };
    throw error;
  }
}
