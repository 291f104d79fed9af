import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { layerFor } from './layers.ts';
import { settingOf, type Member, type Subscription, type Publication } from './Member.ts';
import type { ConsumerInfo, View } from '../MediaCluster.ts';
import { unreachable } from '../router/unreachable.ts';
import { PipeTrees, type Branch } from './PipeTrees.ts';
import type { RoomRouter } from '../router/RoomRouter.ts';

interface SubscriptionHooks {
  /** A consumer that was not there at once waits now, paused. */
  onOffer: (subscription: Subscription) => void;
  /** Whether this member is to receive it (still). */
  isWanted: (to: Member, publication: Publication) => boolean;
  onClosed: (subscription: Subscription) => void;
  /** Somebody looks at it otherwise than before. */
  onWatched: (publication: Publication, by: Member) => void;
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
export class Subscriptions {
  readonly #trees: PipeTrees;
  readonly #hooks: SubscriptionHooks;
  readonly #log: Logger;
  /** By producer. */
  readonly #of = new Map<string, Set<Subscription>>();

  constructor(hooks: SubscriptionHooks, log: Logger) {
    this.#hooks = hooks;
    this.#log = log;
    this.#trees = new PipeTrees((router) => hooks.isLeaving(router));
  }

  /** Makes a consumer; null where there is one, where the device can't decode it, or where it comes later. */
  async receive(to: Member, publication: Publication): Promise<ConsumerInfo | null> {
    if (to.receives.has(publication.producerId) || !this.#isThere(to, publication)) return null;
    to.receives.add(publication.producerId);
    try {
      return (await this.#make(to, publication))?.info ?? null;
    } catch (error) {
      to.receives.delete(publication.producerId);
      // Either end has gone meanwhile.
      if (!this.#isThere(to, publication)) return null;
      // What comes from the same router has no way that could be mended.
      if (publication.home === to.router) throw error;
      this.#tryAgain(to, publication, error, 0);
      return null;
    }
  }

  of(publication: Publication): Iterable<Subscription> {
    return this.#of.get(publication.producerId) ?? [];
  }

  /** Consumers that closed meanwhile are passed over. */
  async ready(member: Member, consumerIds: readonly string[]): Promise<void> {
    const subscriptions = consumerIds.flatMap((id) => member.subscriptions.get(id) ?? []);
    for (const subscription of subscriptions) subscription.isReady = true;
    await this.apply(subscriptions);
    for (const { former } of subscriptions) if (former) void this.#retire(former);
  }

  /** The app shows these otherwise than before. */
  async look(member: Member, views: readonly View[]): Promise<void> {
    const looked = views.flatMap((view) => {
      const subscription = member.subscriptions.get(view.consumerId);
      if (subscription?.info.kind !== 'video') return [];
      subscription.isVisible = view.isVisible;
      if (view.isVisible)
        subscription.layer = layerFor(view, subscription.publication.size, subscription.publication.layers);
      return [subscription];
    });
    for (const publication of new Set(looked.map((subscription) => subscription.publication)))
      this.#hooks.onWatched(publication, member);
    await this.apply(looked);
  }

  /** Tells the parts what has changed, and nothing else. */
  async apply(subscriptions: readonly Subscription[]): Promise<void> {
    const byRouter = new Map<RoomRouter, Subscription[]>();
    for (const subscription of subscriptions) {
      const { applied, to } = subscription;
      const wanted = settingOf(subscription);
      if (wanted.paused === applied.paused && wanted.layer === applied.layer) continue;
      subscription.applied = wanted;
      byRouter.set(to.router, [...(byRouter.get(to.router) ?? []), subscription]);
    }
    await Promise.all([...byRouter].map(([router, changed]) => tell(router, changed)));
  }

  /** Whoever wants one of these again gets another. */
  async end(subscriptions: readonly Subscription[]): Promise<void> {
    this.#drop(subscriptions);
    const byRouter = new Map<RoomRouter, string[]>();
    for (const { to, info } of subscriptions)
      byRouter.set(to.router, [...(byRouter.get(to.router) ?? []), info.id]);
    await Promise.all([...byRouter].map(([router, consumerIds]) => router.closeConsumers(consumerIds)));
  }

  setPaused(publication: Publication): Promise<void> {
    return this.#trees.setPaused(publication);
  }

  /** A producer is over: everybody's consumers of it are. */
  async close(publication: Publication): Promise<void> {
    this.#drop([...this.of(publication)]);
    this.#of.delete(publication.producerId);
    await this.#trees.close(publication);
  }

  /** A member has left: what it received is gone with its transport. */
  leave(member: Member): void {
    for (const subscription of member.subscriptions.values()) {
      this.#of.get(subscription.publication.producerId)?.delete(subscription);
      this.#hooks.onWatched(subscription.publication, member);
    }
    member.subscriptions.clear();
    this.#release();
  }

  /** A part is gone. What others had by way of it comes another way, in other consumers. */
  async forgetRouter(router: RoomRouter): Promise<void> {
    const { orphaned, cleared } = this.#trees.forget(router);
    const lost = orphaned.flatMap((branch) => this.#by(branch));
    this.#drop(lost);
    await cleared;
    await Promise.all(lost.map(({ to, publication }) => this.#offer(to, publication, 0)));
  }

  /**
   * Parts are about to leave. What others have by way of them is brought to them another way first; then each device is offered it anew,
   * and keeps what it has until it takes that.
   */
  renew(): void {
    for (const branch of this.#trees.renew())
      for (const subscription of this.#by(branch)) this.#replace(subscription);
    this.#release();
  }

  /** Whether others get something by way of this part. */
  isRelaying(router: RoomRouter): boolean {
    return this.#trees.isRelaying(router);
  }

  /** These consumers are gone. */
  #drop(subscriptions: readonly Subscription[]): void {
    for (const subscription of subscriptions) {
      const { to, publication, info } = subscription;
      this.#of.get(publication.producerId)?.delete(subscription);
      to.subscriptions.delete(info.id);
      // The one that takes its place stays, or is on its way.
      if (!subscription.isFormer) to.receives.delete(publication.producerId);
      this.#hooks.onClosed(subscription);
    }
    this.#release();
  }

  /** All that comes by this. */
  #by(branch: Branch): Subscription[] {
    return [...(this.#of.get(branch.producerId) ?? [])].filter(
      (subscription) => subscription.branch === branch,
    );
  }

  #replace(subscription: Subscription): void {
    const { to, publication } = subscription;
    if (subscription.isFormer) return;
    // A program takes one of a kind, and no other beside it: it begins anew.
    if (to.egresses !== null || !this.#hooks.isWanted(to, publication)) return this.#drop([subscription]);
    subscription.isFormer = true;
    void this.#succeed(subscription, 0);
  }

  async #succeed(former: Subscription, attempt: number): Promise<void> {
    const { to, publication } = former;
    if (!this.#isThere(to, publication)) return;
    try {
      const subscription = await this.#make(to, publication, former);
      if (subscription) this.#hooks.onOffer(subscription);
    } catch (err) {
      this.#later(publication, err, attempt, () => this.#succeed(former, attempt + 1));
    }
  }

  /** Another one takes its place, and is asked for at this moment. */
  async #retire(former: Subscription): Promise<void> {
    const { to, info } = former;
    for (let tick = 0; tick < overlapTicks && !to.isPlayer && to.subscriptions.has(info.id); tick++)
      await delay(overlapTickMs, null, { ref: false });
    if (!to.subscriptions.has(info.id)) return;
    // A part that can't be told takes it along.
    await this.end([former]).catch(() => undefined);
  }

  #release(): void {
    if (this.#trees.release((branch) => this.#by(branch).length > 0)) this.#hooks.onReleased();
  }

  async #make(
    to: Member,
    publication: Publication,
    former: Subscription | null = null,
  ): Promise<Subscription | null> {
    const branch = await this.#trees.bring(publication, to.router);
    const producerId = branch?.id ?? publication.producerId;
    const consumer = this.#isThere(to, publication) ? await to.router.consume(to.key, producerId) : null;
    // What it came by has gone meanwhile, and it with it.
    if (this.#isThere(to, publication) && !this.#trees.isCurrent(publication, branch)) throw unreachable();
    if (!consumer || !this.#isThere(to, publication)) return null;
    const subscription: Subscription = {
      info: { ...consumer, producerId: publication.producerId, source: publication.source },
      ...{ publication, to, branch, former },
      isFormer: false,
      isReady: false,
      isVisible: former?.isVisible ?? true,
      isForwarded: this.#hooks.isWanted(to, publication),
      layer: former?.layer ?? null,
      applied: { paused: true, layer: null },
      score: 10,
      flowing: null,
    };
    to.subscriptions.set(consumer.id, subscription);
    this.#of.set(
      publication.producerId,
      (this.#of.get(publication.producerId) ?? new Set()).add(subscription),
    );
    this.#hooks.onWatched(publication, to);
    // A part on its way has begun to leave meanwhile.
    if (branch && this.#trees.isFormer(branch)) this.#replace(subscription);
    return subscription;
  }

  /** A way between two parts failed; while both are there, it is tried again, and what comes of it is offered then. */
  #tryAgain(to: Member, publication: Publication, err: unknown, attempt: number): void {
    this.#later(publication, err, attempt, () => this.#offer(to, publication, attempt + 1));
  }

  #later({ producerId }: Publication, err: unknown, attempt: number, again: () => Promise<void>): void {
    const delayMs = retryDelaysMs[Math.min(attempt, retryDelaysMs.length - 1)];
    this.#log.warn({ err, producerId, attempt }, 'a pipe failed, and is tried again');
    setTimeout(() => void again(), delayMs).unref();
  }

  /** What could not be had at once, or is lost, waits for its device when it is there. */
  async #offer(to: Member, publication: Publication, attempt: number): Promise<void> {
    if (!this.#isThere(to, publication) || to.receives.has(publication.producerId)) return;
    if (!this.#hooks.isWanted(to, publication)) return;
    to.receives.add(publication.producerId);
    try {
      const subscription = await this.#make(to, publication);
      if (subscription) this.#hooks.onOffer(subscription);
    } catch (error) {
      to.receives.delete(publication.producerId);
      this.#tryAgain(to, publication, error, attempt);
    }
  }

  #isThere(to: Member, publication: Publication): boolean {
    return !publication.isClosed && !to.hasLeft && !to.router.isClosed && !publication.home.isClosed;
  }
}

async function tell(router: RoomRouter, changed: Subscription[]): Promise<void> {
  try {
    await router.setConsumers(changed.map(({ info, applied }) => ({ consumerId: info.id, ...applied })));
  } catch (error) {
    // Whoever asks again is told again.
    for (const subscription of changed)
      subscription.applied = { ...subscription.applied, paused: !subscription.applied.paused };
    throw error;
  }
}
