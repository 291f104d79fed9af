import type { AccessResult, GateConfig } from '@parley/sdk';
import { useCallback, useEffect, useState } from 'react';
import { useServices } from '../core/ParleyProvider.tsx';
import type { Problem } from '../problems/explain.ts';
import { explainRoom } from '../rooms/explainRoom.ts';
import { useSession } from '../session/useSession.ts';

interface Gate {
  /** The gate of the room; null if it has none, and until it is loaded. */
  gate: GateConfig | null;
  /** Whether the signed-in wallet meets it; null until it is checked. */
  access: AccessResult | null;
  problem: Problem | null;
  /** Checks the gate again. */
  check: () => Promise<void>;
}

/**
 * The gate of a room, and whether the signed-in wallet meets it.
 * @param roomId the room's id, `room_…`
 * @example
 * const { gate, access, check } = useGate(roomId);
 * return gate && <GateCheck what="room" gate={gate} access={access} onCheck={check} />;
 */
export function useGate(roomId: string): Gate {
  const services = useServices();
  const { address } = useSession();
  const [state, setState] = useState<Omit<Gate, 'check'>>({ gate: null, access: null, problem: null });
  const check = useCallback(async () => {
    const { client, words } = services;
    if (address === null) return;
    try {
      const { gate } = await client.conference.get(roomId);
      const access = gate ? await client.gatedRooms.checkAccess(roomId, address) : null;
      setState({ gate, access, problem: null });
    } catch (error) {
      setState((before) => ({ ...before, problem: explainRoom(error, words) }));
    }
  }, [services, roomId, address]);
  // oxlint-disable-next-line react/set-state-in-effect -- the state is set when the answer arrives
  useEffect(() => void check(), [check]);
  return { ...state, check };
}
