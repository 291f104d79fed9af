import type { Connection } from './connection/Connection.ts';
import { fromWire } from './connection/fromWire.ts';
import type { NewRoom } from './conference.ts';
import type { AccessResult, ContractFacts, GateChain, GateConfig, GatedRoom, GateType } from './types.ts';

/** The gated room to create. */
export interface NewGatedRoom extends NewRoom {
  /** The type of `gate`. */
  gateType: GateType;
  gate: GateConfig;
}

/** Conference rooms with a gate on chain data: `client.gatedRooms`. Join them with `client.conference.join()`. */
export class GatedRooms {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /**
   * Creates a room with a gate. The gate may use the chains of the network that this client is signed in to: see getChains().
   * @throws ParleyError VALIDATION_ERROR (an unknown chain, or a contract that does not support the condition), RATE_LIMIT_EXCEEDED,
   * CONFLICT (this wallet has too many rooms), SERVICE_UNAVAILABLE (a chain cannot be read)
   * @example
   * const room = await client.gatedRooms.create({ name: 'Holders', maxParticipants: 20, gateType: 'nft',
   *   gate: { type: 'nft', chainId: 1, contractAddress: '0x…', standard: 'erc721' } });
   */
  async create(room: NewGatedRoom): Promise<GatedRoom> {
    return fromWire(await this.#connection.request('gatedRooms.create', room));
  }

  /**
   * Checks whether a wallet meets the gate of a room, and which requirements it lacks. The creator of the room may always enter.
   * @throws ParleyError NOT_FOUND (no such room, or it has no gate), INVALID_ADDRESS, ACCESS_DENIED (`other_network`: the room is on
   * another network than the one this client is signed in to), RATE_LIMIT_EXCEEDED, SERVICE_UNAVAILABLE (a chain cannot be read)
   */
  async checkAccess(roomId: string, walletAddress: string): Promise<AccessResult> {
    return this.#connection.request('gatedRooms.checkAccess', { roomId, walletAddress });
  }

  /** Lists the chains that a gate may use: those of the network that this client is signed in to. */
  async getChains(): Promise<GateChain[]> {
    return this.#connection.request('gatedRooms.getChains', {});
  }

  /**
   * Reads a contract's name, symbol, decimals and supported conditions, to preview a gate before it is created.
   * @param chainId the EIP-155 chain id
   * @throws ParleyError VALIDATION_ERROR (an unknown chain, or no contract at this address), INVALID_ADDRESS, SERVICE_UNAVAILABLE (the
   * chain cannot be read)
   * @example const { symbol, decimals, kinds } = await client.gatedRooms.inspect(8453, '0x…');
   */
  async inspect(chainId: number, contractAddress: string): Promise<ContractFacts> {
    return this.#connection.request('gatedRooms.inspect', { chainId, contractAddress });
  }
}
