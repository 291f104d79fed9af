import { ParleyError } from '../../sdk/protocol/errors.ts';
import { clientOf, type AnswerOf, type RequestOf } from '../operations.ts';
import {
  roomOperations,
  type JoinedPeer,
  type NewPeer,
  type PeerInfo,
  type PeerTag,
  type RoomOperations,
} from '../roomOperations.ts';
import { callNode } from './callNode.ts';
import type { FormerOwners } from './FormerOwners.ts';
import { ignoreGone } from './ignoreGone.ts';
import { gone, type KnownRooms } from './KnownRooms.ts';
import type { MediaLinks } from './MediaLinks.ts';
import { entering, isStale } from './MediaNode.ts';
import { joinInSteps } from '../room/joinInSteps.ts';
import { noSuchRequest, type RpcRequest } from './rpc.ts';

type RoomMap = typeof roomOperations;

interface RemoteRoomDeps {
  rooms: KnownRooms;
  formerOwners: FormerOwners;
  nodes: MediaLinks;
  /** This node's id in its present life. */
  ownId: () => string;
  /** Called when a plain RTP peer has joined on a node of the previous release, which does not report its packets. */
  onUnreported: (peer: PeerInfo) => void;
}

/** A client of a room. It sends each operation to the room's owner, and remembers the peers that joined through this node. */
export class RemoteRoom extends clientOf(roomOperations) {
  readonly #roomId: string;
  readonly #deps: RemoteRoomDeps;
  protected override readonly overrides: Partial<RoomOperations> = {
    join: async (peer) => this.#joined(peer, await this.send('join', peer)),
    joinConnected: async (peer) => {
      const joined = await this.send('joinConnected', peer).catch((error: unknown) => {
        // The owner runs the previous release, which has only the single operations.
        if (error instanceof ParleyError && error.message === noSuchRequest) return joinInSteps(this, peer);
        throw error;
      });
      return this.#joined(peer, joined);
    },
    resume: async (peer) => this.#remember(peer, await this.send('resume', peer)),
    openIngest: async (ingest) => {
      const opened = this.#remember(ingest, await this.send('openIngest', ingest));
      await this.#deps.formerOwners.leave(this.#roomId, ingest.peerId);
      if (!opened.tellsArrival) this.#deps.onUnreported({ ...ingest, sending: [] });
      return opened;
    },
    openEgress: async (egress) => {
      const opened = this.#remember(egress, await this.send('openEgress', egress));
      await this.#deps.formerOwners.leave(this.#roomId, egress.peerId);
      return opened;
    },
    leave: async ({ peerId }) => {
      this.#forget(peerId);
      if (await this.#deps.formerOwners.leave(this.#roomId, peerId)) return;
      await this.send('leave', { peerId }).catch(ignoreGone);
    },
    removeParticipant: async (participant) => {
      const { rooms, formerOwners } = this.#deps;
      const former = rooms.get(this.#roomId)?.former;
      const [removed] = await Promise.all([
        this.send('removeParticipant', participant).catch(ignoreGone),
        // While the room is handed over, the participant's packets may still flow there.
        former && formerOwners.removeParticipant(this.#roomId, former, participant),
      ]);
      removed?.peerIds.forEach((peerId) => this.#forget(peerId));
      return removed ?? { peerIds: [] };
    },
  };

  constructor(roomId: string, deps: RemoteRoomDeps) {
    super();
    this.#roomId = roomId;
    this.#deps = deps;
  }

  /** Sends a request to the room's owner, and again to the new owner if the room has moved. */
  protected async send<Name extends keyof RoomMap>(
    name: Name,
    request: RequestOf<RoomMap, Name>,
  ): Promise<AnswerOf<RoomMap, Name>> {
    const { rooms, nodes, ownId } = this.#deps;
    const roomId = this.#roomId;
    for (let attempt = 1; ; attempt++) {
      const { owner } = rooms.get(roomId) ?? (await rooms.load(roomId));
      const link = await nodes.link(owner.nodeId);
      // The owner is dead. Its peers are about to be asked to join again.
      if (!link) throw gone();
      const address = { roomId, epoch: owner.epoch };
      const isPlain = name === 'openIngest' || name === 'openEgress';
      const origin = isPlain ? { nodeId: owner.nodeId === ownId() ? null : ownId() } : {};
      try {
        const addressed = { ...request, ...origin, ...address } as unknown as RpcRequest<Name>;
        const answer = await callNode(link, name, addressed);
        const isIn = entering.has(name) || name === 'resume';
        if (!isIn || rooms.get(roomId)?.owner.epoch === owner.epoch) return answer;
        // The room got another owner in the meantime, and this peer was not asked to move: it enters again there.
        const { peerId } = addressed as RpcRequest<'leave'>;
        if (name !== 'resume') void link.call('leave', { peerId, ...address }).catch(() => undefined);
      } catch (error) {
        const isMoved = isStale(error) || (error instanceof ParleyError && error.code === 'NOT_FOUND');
        if (!isMoved || attempt > 1 || !(await rooms.hasMoved(roomId, owner))) throw error;
      }
    }
  }

  #joined(peer: NewPeer, joined: JoinedPeer): JoinedPeer {
    // The device closes its former connection itself, as soon as packets flow over the new one.
    this.#deps.formerOwners.forget(peer.peerId);
    return this.#remember(peer, joined);
  }

  /** Remembers a peer that joined through this node, so that it can be asked to join again. */
  #remember<Answer extends object>(
    { peerId, tag }: { peerId: string; tag: PeerTag },
    answer: Answer,
  ): Answer {
    const { replaced } = answer as { replaced?: PeerInfo | null };
    if (replaced) this.#forget(replaced.peerId);
    this.#deps.rooms.get(this.#roomId)?.peers.set(peerId, { peerId, tag, sending: [] });
    return answer;
  }

  #forget(peerId: string): void {
    this.#deps.rooms.get(this.#roomId)?.peers.delete(peerId);
  }
}
