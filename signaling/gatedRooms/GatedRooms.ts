import type { Address } from '../../sdk/protocol/common.ts';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import type { WireAccessResult, WireContract, WireGateChain } from '../../sdk/protocol/gates.ts';
import type { RequestOf, ResponseOf } from '../../sdk/protocol/wire.ts';
import type { RequestContext } from '../socket/RequestContext.ts';
import { jobKinds, memberSubject, type ConferenceDeps } from '../conference/ConferenceDeps.ts';
import type { ConferenceMembership } from '../conference/ConferenceMembership.ts';
import type { ConferenceRooms } from '../conference/ConferenceRooms.ts';
import { roomAccess } from '../conference/roomAccess.ts';
import type { MemberRow } from '../conference/tables.ts';
import { recheck, recheckJobs } from '../gates/recheck.ts';
import type { JobRow } from '../../platform/jobs/ScheduledJobs.ts';

/** Handles the requests that exist for gated rooms only. Gated rooms are joined by conference.join, like others. */
export class GatedRooms {
  readonly #deps: ConferenceDeps;
  readonly #rooms: ConferenceRooms;
  readonly #memberships: ConferenceMembership;

  constructor(deps: ConferenceDeps, rooms: ConferenceRooms, memberships: ConferenceMembership) {
    this.#deps = deps;
    this.#rooms = rooms;
    this.#memberships = memberships;
    deps.jobs.on(jobKinds.gate, (row) => this.#runJob(row), recheckJobs);
  }

  async create(
    context: RequestContext,
    { gateType, gate, ...room }: RequestOf<'gatedRooms.create'>,
  ): Promise<ResponseOf<'gatedRooms.create'>> {
    const created = await this.#rooms.create(context, room, gate);
    return { ...created, gateType, gate };
  }

  /**
   * Checks a wallet without letting it in. Any wallet may be checked, since holdings are public. The check is for the network of the
   * requesting session.
   */
  async checkAccess(
    context: RequestContext,
    { roomId, walletAddress }: RequestOf<'gatedRooms.checkAccess'>,
  ): Promise<WireAccessResult> {
    const { store, limits } = this.#deps;
    await limits.checking.consume(context);
    const room = await store.room(roomId);
    if (!room.gate) throw new ParleyError('NOT_FOUND', 'This room has no gate: join it without a check.');
    return roomAccess(this.#deps, room, { wallet: walletAddress, network: context.network, guest: null });
  }

  chains({ network }: RequestContext): WireGateChain[] {
    return this.#deps.gates.chainsOf(network);
  }

  /** Counts towards the limit of checks, because it needs a transaction. */
  async getExample(
    context: RequestContext,
    { chainId, contractAddress }: RequestOf<'gatedRooms.getExample'>,
  ): Promise<void> {
    const { gates, limits } = this.#deps;
    await limits.checking.consume(context);
    await gates.getExample(context.wallet, chainId, contractAddress);
  }

  /** Counts towards the limit of checks, because it needs as many chain requests as a check. */
  async inspect(
    context: RequestContext,
    { chainId, contractAddress }: RequestOf<'gatedRooms.inspect'>,
  ): Promise<WireContract> {
    const { gates, limits } = this.#deps;
    await limits.checking.consume(context);
    return gates.inspect(chainId, contractAddress, context.network);
  }

  /** Checks a participant again. Evicts those who no longer qualify, or for whom the gate has been unreadable for too long. */
  async #runJob({ subject }: JobRow): Promise<void> {
    const [roomId, wallet] = subject.split('/') as [string, Address];
    const { store } = this.#deps;
    const [{ gate, status }, member] = [await store.room(roomId), await store.member(roomId, wallet)];
    if (!gate || status === 'ended' || member?.standing !== 'present') return;
    const verdict = await recheck({ ...this.#deps, gate, wallet, checkedAt: member.gateCheckedAt });
    if (verdict.kind === 'leaves')
      return this.#memberships.evict(roomId, wallet, verdict.reason, verdict.access, member);
    await this.#askAgain(member, verdict.againMs, verdict.checkedAt);
  }

  async #askAgain(
    { roomId, wallet, participantId }: MemberRow,
    inMs: number,
    checkedAt: Date | null,
  ): Promise<void> {
    const { store, jobs } = this.#deps;
    await store.inRoom(roomId, async (executor) => {
      const now = await store.member(roomId, wallet, executor);
      // The participant has left, or has joined again and was checked then.
      if (now?.standing !== 'present' || now.participantId !== participantId) return;
      if (checkedAt) await store.changeMember(executor, roomId, wallet, { gateCheckedAt: checkedAt });
      await jobs.set(executor, jobKinds.gate, memberSubject(roomId, wallet), new Date(Date.now() + inMs));
    });
  }
}
