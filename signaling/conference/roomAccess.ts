import type { Address } from '../../sdk/protocol/common.ts';
import type { WireAccessResult } from '../../sdk/protocol/gates.ts';
import type { PartyContext } from '../socket/RequestContext.ts';
import type { ConferenceDeps } from './ConferenceDeps.ts';
import { denied } from './refusals.ts';
import type { RoomRow } from './tables.ts';

/**
 * Checks whether a room's gate lets a wallet in. Used when a wallet enters, and when a client asks in advance.
 * @param context the wallet, and the network of its session
 * @throws ParleyError ACCESS_DENIED (other_network, guest), SERVICE_UNAVAILABLE if a chain cannot be read
 */
export async function roomAccess(
  { gates }: Pick<ConferenceDeps, 'gates'>,
  room: RoomRow,
  { wallet, network, guest }: Pick<PartyContext, 'wallet' | 'network' | 'guest'>,
): Promise<WireAccessResult> {
  // The creator may always enter: they could have created the room without a gate.
  if (!room.gate || room.host === wallet)
    return { allowed: true, reason: null, requirementsMet: [], missingRequirements: [] };
  if (guest) throw denied('guest', 'Only wallets can pass the gate of this room: sign in with a wallet.');
  // On another network, something else may have the same contract address.
  if (room.network !== network)
    throw denied('other_network', `This room is on the ${room.network}: sign in to that network.`);
  return gates.check(room.gate, wallet as Address);
}
