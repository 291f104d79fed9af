import { Slots } from '../../platform/limits/Slots.ts';
import { appliesRules, lostAtOnce, type NodeDied } from '../../platform/node/OwnNode.ts';
import type { AwayParties } from './AwayParties.ts';
import { parties, type CallDeps } from './CallDeps.ts';
import type { CallService } from './CallService.ts';

/** An upper bound on the time between storing a change of a call and sending its events. */
const interruptedMs = 10_000;

/**
 * Completes what a dead node or a database outage left undone: sets deadlines for lost devices that nobody noticed, sends events again, and
 * closes rooms that were left open.
 */
export class CallMaintenance {
  readonly #deps: Pick<CallDeps, 'store' | 'node' | 'graceMs' | 'media' | 'log'>;
  readonly #calls: Pick<CallService, 'repeat'>;
  readonly #away: AwayParties;

  constructor(
    deps: Pick<CallDeps, 'store' | 'node' | 'graceMs' | 'media' | 'log'>,
    calls: Pick<CallService, 'repeat'>,
    away: AwayParties,
  ) {
    this.#deps = deps;
    this.#calls = calls;
    this.#away = away;
  }

  /**
   * Gives parties that were connected to the dead node the usual time to come back. Completes changes that the node had stored but may not
   * have finished: closes rooms and sends events again. Devices ignore events they already have.
   */
  async onNodeDied(nodeId: string, { seenAt, diedAt, roles }: NodeDied): Promise<void> {
    if (!appliesRules(roles)) return;
    const { store, graceMs, log } = this.#deps;
    const seen = Date.parse(seenAt);
    // The grace period counts from the node's last heartbeat, but parties always have at least half of it left to reach another node.
    const dueAt = new Date(Math.max(seen + graceMs, Date.now() + graceMs / 2));
    const slots = new Slots(lostAtOnce, Infinity);
    const lost = (await store.runningOnNode(nodeId)).flatMap((row) =>
      parties.filter((party) => row[`${party}Node`] === nodeId).map((party) => ({ row, party })),
    );
    await Promise.all(
      lost.map(({ row, party }) => slots.run(() => this.#away.expectBack(row, party, dueAt))),
    );
    const [from, to] = [new Date(seen - interruptedMs), new Date(Date.parse(diedAt) + interruptedMs)];
    for (const { id } of await store.changedBetween(from, to)) {
      await this.#calls
        .repeat(id)
        .catch((err: unknown) => log.warn({ err, callId: id }, 'call’s last change not announced again'));
    }
  }

  /** Called periodically. Sets deadlines for devices that are no longer connected to this node, and closes the rooms of ended calls. */
  async sweep(isConnected: (socketId: string) => boolean): Promise<void> {
    const { store, node, media } = this.#deps;
    for (const row of await store.runningOnNode(node.id)) {
      for (const party of parties) {
        const socket = row[`${party}Socket`];
        if (row[`${party}Node`] === node.id && socket && !isConnected(socket))
          await this.#away.expectBack(row, party);
      }
    }
    for (const callId of await store.withRoomsLeft()) await media.closeRoom(callId);
  }
}
