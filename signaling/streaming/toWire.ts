import { toIso } from '../../sdk/protocol/common.ts';
import { guestMark, type PartyId } from '../../sdk/protocol/party.ts';
import type { WireLiveStream, WireStreamChat, WireViewer } from '../../sdk/protocol/streaming.ts';
import type { ChatRow } from '../chat/chatTable.ts';
import type { StreamRow, WatchingRow } from './tables.ts';

/** The addresses for publishing and watching. */
export interface StreamAddresses {
  publicUrl: string;
  /** `rtmp://host:1935/live`, or empty when RTMP is off. */
  rtmpUrl: string;
}

/** @param streamKey empty for everybody except the host */
export function toStream(row: StreamRow, streamKey: string, addresses: StreamAddresses): WireLiveStream {
  const { publicUrl, rtmpUrl } = addresses;
  const { id, gate, startedAt, endedAt } = row;
  const whipUrl = `${publicUrl}/whip`;
  return {
    id,
    title: row.title,
    description: row.description,
    host: row.host,
    streamKey,
    url: whipUrl,
    whipUrl,
    rtmpUrl,
    whepUrl: `${publicUrl}/whep/${id}`,
    playbackUrl: `${publicUrl}/hls/${id}/index.m3u8`,
    watchUrl: `${publicUrl}/watch/${id}`,
    status: row.status,
    viewerCount: row.viewerCount,
    isPublic: row.isPublic,
    gateType: gate?.type ?? null,
    gate,
    record: row.record,
    isSending: row.isSending,
    createdAt: toIso(row.createdAt),
    startedAt: startedAt && toIso(startedAt),
    endedAt: endedAt && toIso(endedAt),
    endReason: row.endReason,
  };
}

export function toViewer(row: WatchingRow): WireViewer {
  return {
    id: row.viewer,
    streamId: row.streamId,
    walletAddress: row.wallet,
    ...guestMark(row.wallet),
    displayName: row.displayName,
    via: row.via,
    joinedAt: toIso(row.joinedAt),
  };
}

export function toChat(row: ChatRow): WireStreamChat {
  const { id, scopeId: streamId, wallet, displayName, content, sentAt } = row;
  return {
    streamId,
    message: {
      id,
      streamId,
      from: wallet,
      to: streamId,
      content,
      type: 'text',
      status: 'sent',
      timestamp: toIso(sentAt),
    },
    sender: { walletAddress: wallet, ...guestMark(wallet), displayName },
  };
}

/** The publisher as a participant, as viewers see it. */
export const publishingParticipant = (streamId: string, host: PartyId, id: string) => ({
  id,
  roomId: streamId,
  walletAddress: host,
  displayName: null,
  role: 'host' as const,
  handRaised: false,
  joinedAt: toIso(new Date()),
});
