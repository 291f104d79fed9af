import type { Address, EvmAddress } from '../../sdk/protocol/address.ts';
import type { WireGateExample } from '../../sdk/protocol/gates.ts';

/** Contracts with which gates can be tried. Every wallet may get what they issue, which is worth nothing. */
export interface GateExamples {
  readonly chainId: number;
  readonly contracts: WireGateExample[];
  /** Issues to a wallet, once the transaction is in a block. */
  issue(contract: EvmAddress, to: Address): Promise<void>;
}
