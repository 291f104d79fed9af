/** The numbers of packets received by WebRTC. */
export interface Received {
  audio: number;
  video: number;
}

/** Adds up the packets in a connection's statistics. @param stats of the receiving connection */
export function receivedIn(stats: Iterable<RTCStats>): Received {
  const received = { audio: 0, video: 0 };
  for (const entry of stats) {
    if (entry.type !== 'inbound-rtp') continue;
    const { kind, packetsReceived = 0 } = entry as RTCInboundRtpStreamStats;
    if (kind === 'audio' || kind === 'video') received[kind] += packetsReceived;
  }
  return received;
}
