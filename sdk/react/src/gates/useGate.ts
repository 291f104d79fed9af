import type { AccessResult, GateConfig } from '@parley/sdk';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
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

const nothing: Omit<Gate, 'check'> = { gate: null, access: null, problem: null };

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
  const subject = useMemo(() => ({ services, roomId, address }), [services, roomId, address]);
  const [known, setKnown] = useState({ ...nothing, of: subject });
  const latest = useRef(subject);
  useEffect(() => {
    latest.current = subject;
  }, [subject]);
  const check = useCallback(async () => {
    if (subject.address === null) return;
    const { client, words } = subject.services;
    // Another room or wallet may be wanted when the answer arrives.
    const set = (answer: Partial<typeof nothing>) => {
      if (latest.current !== subject) return;
      setKnown((before) => ({ ...(before.of === subject ? before : nothing), ...answer, of: subject }));
    };
    try {
      const { gate } = await client.conference.get(subject.roomId);
      const access = gate ? await client.gatedRooms.checkAccess(subject.roomId, subject.address) : null;
      set({ gate, access, problem: null });
    } catch (error) {
      set({ problem: explainRoom(error, words) });
    }
  }, [subject]);
  useEffect(() => void check(), [check]);
  const { gate, access, problem } = known.of === subject ? known : nothing;
  return { gate, access, problem, check };
}
