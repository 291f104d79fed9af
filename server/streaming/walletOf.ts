import type { PeerTag } from '../../media/MediaCluster.ts';
import type { Address } from '../../sdk/protocol/common.ts';

/** As signalling tags those who take part (signaling/media/MediaSessions.ts). */
export const walletOf = (tag: PeerTag): Address | null =>
  (tag.participant as { walletAddress?: Address } | undefined)?.walletAddress ?? null;
