import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { layerFor } from './layers.ts';
import { settingOf, type Member, type Subscription, type Publication } from './Member.ts';
import type { ConsumerInfo, View } from '../roomOperations.ts';
import { unreachable } from '../router/unreachable.ts';
import { PipeTrees, type Branch } from './PipeTrees.ts';
import type { RoomRouter } from '../router/RoomRouter.ts';

interface SubscriptionHooks {
  /** A consumer was created, but not as the answer to receive(). It is paused and has to be offered to its device. */
  onOffer: (subscription: Subscription) => void;
  /** Whether this member should (still) receive the publication. */
  isWanted: (to: Member, publication: Publication) => boolean;
  onClosed: (subscription: Subscription) => void;
  /** A member's view of the publication changed. */
  onWatched: (publication: Publication, by: Member) => void;
  /** Whether a router's node is draining. */
  isLeaving: (router: RoomRouter) => boolean;
  /** Pipes through a router may have become unused. */
  onReleased: () => void;
}

/**
 * How long a replaced consumer stays open after the device is ready for its replacement, so that a key frame of the replacement has arrived
 * by then. Key frame requests are limited to one a second, a lost one is repeated a second later, and bandwidth may be low. The time is
 * counted in short ticks, so that time in which the process was suspended does not count.
 */
const [overlapTicks, overlapTickMs] = [20, 200];
const retryDelaysMs = [100, 500, 1_000, 2_000, 5_000];

/** All subscriptions of one room, across all its routers, with their consumers and the pipes that those need. */
export class Subscriptions {
  readonly #trees: PipeTrees;
  readonly #hooks: SubscriptionHooks;
  readonly #log: Logger;
  /** By producer. */
  readonly #of = new Map<string, Set<Subscription>>();
  /** By the branch they come through. There may be thousands of a producer, and each that ends may leave a branch unused. */
  readonly #through = new WeakMap<Branch, Set<Subscription>>();

  constructor(hooks: SubscriptionHooks, log: Logger) {
    this.#hooks = hooks;
    this.#log = log;
    this.#trees = new PipeTrees((router) => hooks.isLeaving(router));
  }

  /**
   * Creates a consumer.
   * @returns null if the member already has one, the device can't decode the publication, or the consumer will be offered later through
   * onOffer
   */
  async receive(to: Member, publication: Publication): Promise<ConsumerInfo | null> {
    if (to.receives.has(publication.producerId) || !this.#isThere(to, publication)) return null;
    to.receives.add(publication.producerId);
    try {
      return (await this.#make(to, publication))?.info ?? null;
    } catch (error) {
      to.receives.delete(publication.producerId);
      // The other peers, and the one that sends or joins, must not suffer from one consumer that cannot be created.
      if (this.#isThere(to, publication)) this.#retryOffer(to, publication, error, 0);
      return null;
    }
  }

  of(publication: Publication): Iterable<Subscription> {
    return this.#of.get(publication.producerId) ?? [];
  }

  /** Resumes consumers, because the device is ready for their packets. Closed consumers are ignored. */
  async ready(member: Member, consumerIds: readonly string[]): Promise<void> {
    const subscriptions = consumerIds.flatMap((id) => member.subscriptions.get(id) ?? []);
    for (const subscription of subscriptions) subscription.isReady = true;
    await this.apply(subscriptions);
    for (const { former } of subscriptions) if (former) void this.#retire(former);
  }

  /** Applies the sizes at which the app now shows these consumers. */
  async setViews(member: Member, views: readonly View[]): Promise<void> {
    const changed = views.flatMap((view) => {
      const subscription = member.subscriptions.get(view.consumerId);
      if (subscription?.info.kind !== 'video') return [];
      subscription.isVisible = view.isVisible;
      if (view.isVisible)
        subscription.layer = layerFor(view, subscription.publication.size, subscription.publication.layers);
      return [subscription];
    });
    for (const publication of new Set(changed.map((subscription) => subscription.publication)))
      this.#hooks.onWatched(publication, member);
    await this.apply(changed);
  }

  /** Sends the settings that have changed to the routers. */
  async apply(subscriptions: readonly Subscription[]): Promise<void> {
    const byRouter = new Map<RoomRouter, Subscription[]>();
    for (const subscription of subscriptions) {
      const { applied, to } = subscription;
      const wanted = settingOf(subscription);
      if (wanted.paused === applied.paused && wanted.layer === applied.layer) continue;
      subscription.applied = wanted;
      byRouter.set(to.router, [...(byRouter.get(to.router) ?? []), subscription]);
    }
    await Promise.all([...byRouter].map(([router, changed]) => applyOn(router, changed)));
  }

  /** Closes subscriptions. They can be created again later. */
  async end(subscriptions: readonly Subscription[]): Promise<void> {
    this.#drop(subscriptions);
    const byRouter = new Map<RoomRouter, string[]>();
    for (const { to, info } of subscriptions)
      byRouter.set(to.router, [...(byRouter.get(to.router) ?? []), info.id]);
    await Promise.all([...byRouter].map(([router, consumerIds]) => router.closeConsumers({ consumerIds })));
  }

  setPaused(publication: Publication): Promise<void> {
    return this.#trees.setPaused(publication);
  }

  /** Closes the pipes of a publication that has ended, and forgets its consumers. */
  async close(publication: Publication): Promise<void> {
    this.#drop([...this.of(publication)]);
    this.#of.delete(publication.producerId);
    await this.#trees.close(publication);
  }

  /** Forgets the subscriptions of a member that has left. Its consumers closed with its transport. */
  leave(member: Member): void {
    for (const subscription of member.subscriptions.values()) {
      this.#forget(subscription);
      this.#hooks.onWatched(subscription.publication, member);
    }
    member.subscriptions.clear();
    this.#release();
  }

  /** Handles the end of a router. Subscriptions that came through it are created again over another path. */
  async forgetRouter(router: RoomRouter): Promise<void> {
    const { orphaned, cleared } = this.#trees.forget(router);
    const lost = orphaned.flatMap((branch) => this.#by(branch));
    this.#drop(lost);
    await cleared;
    await Promise.all(lost.map(({ to, publication }) => this.#offer(to, publication, 0)));
  }

  /**
   * Replaces the subscriptions that come through routers that are about to leave. Each gets a second consumer over another path, and the
   * first one stays open until the device is ready for the second.
   */
  renew(): void {
    for (const branch of this.#trees.renew())
      for (const subscription of this.#by(branch)) this.#replace(subscription);
    this.#release();
  }

  /** Whether other routers receive media through this router. */
  isRelaying(router: RoomRouter): boolean {
    return this.#trees.isRelaying(router);
  }

  /** Removes subscriptions whose consumers are gone. */
  #drop(subscriptions: readonly Subscription[]): void {
    for (const subscription of subscriptions) {
      const { to, publication, info } = subscription;
      this.#forget(subscription);
      to.subscriptions.delete(info.id);
      // Its replacement exists, or is being created.
      if (!subscription.isFormer) to.receives.delete(publication.producerId);
      this.#hooks.onClosed(subscription);
    }
    this.#release();
  }

  #keep(subscription: Subscription): void {
    const { publication, branch } = subscription;
    const { producerId } = publication;
    this.#of.set(producerId, (this.#of.get(producerId) ?? new Set()).add(subscription));
    if (branch) this.#through.set(branch, (this.#through.get(branch) ?? new Set()).add(subscription));
  }

  #forget(subscription: Subscription): void {
    const { publication, branch } = subscription;
    this.#of.get(publication.producerId)?.delete(subscription);
    if (branch) this.#through.get(branch)?.delete(subscription);
  }

  /** All subscriptions that come through this branch. */
  #by(branch: Branch): Subscription[] {
    return [...(this.#through.get(branch) ?? [])];
  }

  #replace(subscription: Subscription): void {
    const { to, publication } = subscription;
    if (subscription.isFormer) return;
    // A plain RTP peer can receive only one track of each kind, so its egress has to be opened again.
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
      this.#retryLater(publication, err, attempt, () => this.#succeed(former, attempt + 1));
    }
  }

  /** Closes a subscription some time after its replacement became ready. */
  async #retire(former: Subscription): Promise<void> {
    const { to, info } = former;
    for (let tick = 0; tick < overlapTicks && !to.isPlayer && to.subscriptions.has(info.id); tick++)
      await delay(overlapTickMs, null, { ref: false });
    if (!to.subscriptions.has(info.id)) return;
    // A router that does not answer is gone or about to close, and its consumers with it.
    await this.end([former]).catch(() => undefined);
  }

  #release(): void {
    if (this.#trees.release((branch) => (this.#through.get(branch)?.size ?? 0) > 0)) this.#hooks.onReleased();
  }

  async #make(
    to: Member,
    publication: Publication,
    former: Subscription | null = null,
  ): Promise<Subscription | null> {
    const branch = await this.#trees.bring(publication, to.router);
    const producerId = branch?.id ?? publication.producerId;
    const { router, key } = to;
    const { consumer } = this.#isThere(to, publication)
      ? await router.consume({ key, producerId })
      : { consumer: null };
    // The branch was closed in the meantime, and its consumers with it.
    if (this.#isThere(to, publication) && !this.#trees.isCurrent(publication, branch)) throw unreachable();
    if (!consumer || !this.#isThere(to, publication)) return null;
    const subscription: Subscription = {
      info: { ...consumer, producerId: publication.producerId, source: publication.source },
      publication,
      to,
      branch,
      former,
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
    this.#keep(subscription);
    this.#hooks.onWatched(publication, to);
    // A router on the path to the member started to leave in the meantime.
    if (branch && this.#trees.isFormer(branch)) this.#replace(subscription);
    return subscription;
  }

  /** Tries again to create a consumer, while both routers exist. Offers it once it is created. */
  #retryOffer(to: Member, publication: Publication, err: unknown, attempt: number): void {
    this.#retryLater(publication, err, attempt, () => this.#offer(to, publication, attempt + 1));
  }

  #retryLater({ producerId }: Publication, err: unknown, attempt: number, retry: () => Promise<void>): void {
    const delayMs = retryDelaysMs[Math.min(attempt, retryDelaysMs.length - 1)];
    this.#log.warn({ err, producerId, attempt }, 'consumer could not be created, will retry');
    setTimeout(() => void retry(), delayMs).unref();
  }

  /** Creates a consumer that could not be created before, or was lost, and offers it to its device. */
  async #offer(to: Member, publication: Publication, attempt: number): Promise<void> {
    if (!this.#isThere(to, publication) || to.receives.has(publication.producerId)) return;
    if (!this.#hooks.isWanted(to, publication)) return;
    to.receives.add(publication.producerId);
    try {
      const subscription = await this.#make(to, publication);
      if (subscription) this.#hooks.onOffer(subscription);
    } catch (error) {
      to.receives.delete(publication.producerId);
      this.#retryOffer(to, publication, error, attempt);
    }
  }

  #isThere(to: Member, publication: Publication): boolean {
    return !publication.isClosed && !to.hasLeft && !to.router.isClosed && !publication.home.isClosed;
  }
}

async function applyOn(router: RoomRouter, changed: Subscription[]): Promise<void> {
  try {
    const settings = changed.map(({ info, applied }) => ({ consumerId: info.id, ...applied }));
    await router.setConsumers({ settings });
  } catch (error) {
    // Forget the setting, so that the next call sends it again.
    for (const subscription of changed)
      subscription.applied = { ...subscription.applied, paused: !subscription.applied.paused };
    throw error;
  }
}
