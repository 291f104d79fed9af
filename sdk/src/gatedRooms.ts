import type { Connection } from './connection/Connection.ts';
import { fromWire } from './connection/fromWire.ts';
import type { NewRoom } from './conference.ts';
import type { AccessResult, ContractFacts, GateChain, GateConfig, GatedRoom, GateType } from './types.ts';

interface NewGatedRoom extends NewRoom {
  /** The gate's own type. */
  gateType: GateType;
  gate: GateConfig;
}

/** Conferences only those come into who hold, or are, what the gate asks for: `client.gatedRooms`. They are joined like others. */
export class GatedRooms {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /**
   * Makes a room with a gate, on chains of the network this client is signed in to.
   * @throws ParleyError VALIDATION_ERROR (an unknown chain, a contract that is not what the gate takes it for), SERVICE_UNAVAILABLE
   * @example
   * const room = await client.gatedRooms.create({ name: 'Holders', maxParticipants: 20, gateType: 'nft',
   *   gate: { type: 'nft', chainId: 1, contractAddress: '0x…', standard: 'erc721' } });
   */
  async create(room: NewGatedRoom): Promise<GatedRoom> {
    return fromWire(await this.#connection.request('gatedRooms.create', room));
  }

  /**
   * Whether the gate would let a wallet in from here, and what it lacks. Whoever created the room always may.
   * @throws ParleyError ACCESS_DENIED (other_network: the room is not on the one this client is signed in to), SERVICE_UNAVAILABLE
   * when a chain can't be read
   */
  async checkAccess(roomId: string, walletAddress: string): Promise<AccessResult> {
    return this.#connection.request('gatedRooms.checkAccess', { roomId, walletAddress });
  }

  /** The chains gates may name, of the network this client is signed in to. */
  async getChains(): Promise<GateChain[]> {
    return this.#connection.request('gatedRooms.getChains', {});
  }

  /**
   * How a contract describes itself, and what it can be asked for: for showing whom a gate would let in before it is made.
   * @throws ParleyError VALIDATION_ERROR (a chain this server does not read, no contract there), SERVICE_UNAVAILABLE
   * @example const { symbol, decimals, kinds } = await client.gatedRooms.inspect(8453, '0x…');
   */
  async inspect(chainId: number, contractAddress: string): Promise<ContractFacts> {
    return this.#connection.request('gatedRooms.inspect', { chainId, contractAddress });
  }
}
