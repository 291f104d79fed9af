import { toIso } from '../../../sdk/protocol/common.ts';
import type { Push } from '../../../signaling/notifications/PushSender.ts';

/** A push for a call that rings for 30 s, for tests of push drivers. */
export function callPush(over: Partial<Push['message']> = {}): Push {
  return {
    message: {
      version: 1,
      kind: 'call',
      id: 'call_000000000000000000000000',
      from: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
      to: '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC',
      at: toIso(new Date()),
      type: 'video',
      ...over,
    },
    topic: 'aB3_-aB3_-aB3_-aB3_-aB3_-aB3_-12',
    urgent: true,
    expiresAt: new Date(Date.now() + 30_000),
  };
}
