import type { PeerTag } from '../../media/roomOperations.ts';
import type { Address } from '../../sdk/protocol/common.ts';

/** Reads the wallet from the tag that signalling sets (signaling/media/MediaSessions.ts). */
export const walletOf = (tag: PeerTag): Address | null =>
  (tag.participant as { walletAddress?: Address } | undefined)?.walletAddress ?? null;
