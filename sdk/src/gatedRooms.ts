import type { Connection } from './connection/Connection.ts';
import { fromWire } from './connection/fromWire.ts';
import { toNewRoom, type NewRoom } from './rooms/newRoom.ts';
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
   * @param room the room as for client.conference.create(), with its gate
   * @returns the room, with status `waiting`
   * @throws ParleyError VALIDATION_ERROR: an unknown chain, or a contract that does not support the condition (`invalid_gate`)
   * @throws ParleyError RATE_LIMIT_EXCEEDED: too many requests. Try again after `retryAfter` seconds
   * @throws ParleyError CONFLICT: this wallet has 200 rooms that have not ended
   * @throws ParleyError SERVICE_UNAVAILABLE: a chain cannot be read, or `settings.record` is true, but the server cannot record
   * @example
   * const room = await client.gatedRooms.create({ name: 'Holders', maxParticipants: 20, gateType: 'nft',
   *   gate: { type: 'nft', chainId: 1, contractAddress: '0x…', standard: 'erc721' } });
   */
  async create(room: NewGatedRoom): Promise<GatedRoom> {
    return fromWire(await this.#connection.request('gatedRooms.create', toNewRoom(room)));
  }

  /**
   * Checks whether a wallet meets the gate of a room, and which requirements it lacks. The creator of the room may always enter.
   * @param roomId the id of the room
   * @param walletAddress the address of the wallet
   * @returns whether the wallet may enter, and why not
   * @throws ParleyError NOT_FOUND: there is no such room, or it has no gate
   * @throws ParleyError INVALID_ADDRESS: the address is not a wallet address
   * @throws ParleyError ACCESS_DENIED: the room is on another network than the one this client is signed in to (`other_network`)
   * @throws ParleyError RATE_LIMIT_EXCEEDED: too many requests. Try again after `retryAfter` seconds
   * @throws ParleyError SERVICE_UNAVAILABLE: a chain cannot be read
   */
  async checkAccess(roomId: string, walletAddress: string): Promise<AccessResult> {
    return this.#connection.request('gatedRooms.checkAccess', { roomId, walletAddress });
  }

  /**
   * Lists the chains that a gate may use: those of the network that this client is signed in to.
   * @returns the chains
   * @throws ParleyError NETWORK_ERROR: the server did not answer
   */
  async getChains(): Promise<GateChain[]> {
    return this.#connection.request('gatedRooms.getChains', {});
  }

  /**
   * Gives this wallet something of an example contract, so that a gate can be tried: an NFT, or 100 tokens. They are worth nothing. Only
   * servers that were started with `--demo-chain` have examples: see `examples` of getChains().
   * @param chainId the chain of the contract
   * @param contractAddress the address of the contract
   * @throws ParleyError NOT_FOUND: it is not an example of getChains()
   * @throws ParleyError INVALID_ADDRESS: `contractAddress` is not an address
   * @throws ParleyError RATE_LIMIT_EXCEEDED: too many requests. Try again after `retryAfter` seconds
   * @throws ParleyError SERVICE_UNAVAILABLE: the chain does not answer
   */
  async getExample(chainId: number, contractAddress: string): Promise<void> {
    await this.#connection.request('gatedRooms.getExample', { chainId, contractAddress });
  }

  /**
   * Reads a contract's name, symbol, decimals and supported conditions, to preview a gate before it is created.
   * @param chainId the EIP-155 chain id
   * @param contractAddress the address of the contract
   * @returns what the contract reports about itself
   * @throws ParleyError VALIDATION_ERROR: an unknown chain (`unknown_chain`), or no contract at this address (`no_contract`)
   * @throws ParleyError INVALID_ADDRESS: `contractAddress` is not an address
   * @throws ParleyError RATE_LIMIT_EXCEEDED: too many requests. Try again after `retryAfter` seconds
   * @throws ParleyError SERVICE_UNAVAILABLE: the chain cannot be read
   * @example const { symbol, decimals, kinds } = await client.gatedRooms.inspect(8453, '0x…');
   */
  async inspect(chainId: number, contractAddress: string): Promise<ContractFacts> {
    return this.#connection.request('gatedRooms.inspect', { chainId, contractAddress });
  }
}
