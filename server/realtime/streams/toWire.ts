import type { z } from 'zod';
import { toIso } from '../../../sdk/protocol/common.ts';
import { identityOf, isGuest, walletOf } from '../../../sdk/protocol/party.ts';
import type { WireLiveStream } from '../../../sdk/protocol/streaming.ts';
import type * as schemas from '../../../sdk/protocol/streams.ts';
import { toEventStream } from '../../../signaling/streaming/accountEvents.ts';
import type { StreamRow, WatchingRow } from '../../../signaling/streaming/tables.ts';

/** @param shown the stream as the rules show it, with its addresses */
export function toBackendStream(row: StreamRow, shown: WireLiveStream): z.input<typeof schemas.stream> {
  const { description, host, network, isPublic, gate, record, viewerCount } = row;
  const { whipUrl, rtmpUrl, whepUrl, playbackUrl, watchUrl } = shown;
  return {
    ...toEventStream(row),
    description,
    host,
    network,
    isPublic,
    gate,
    record,
    viewerCount,
    whipUrl,
    rtmpUrl,
    whepUrl,
    playbackUrl,
    watchUrl,
  };
}

export function toBackendViewer(row: WatchingRow): z.input<typeof schemas.backendViewer> {
  const { wallet, displayName, via, joinedAt } = row;
  return {
    identity: wallet && identityOf(wallet),
    walletAddress: wallet && walletOf(wallet),
    isGuest: wallet !== null && isGuest(wallet),
    displayName,
    via,
    joinedAt: toIso(joinedAt),
  };
}
