import type { IceServers, WireTransport } from '../../../protocol/media.ts';

interface Path {
  /** Only candidates of this protocol are tried. */
  protocol?: 'udp' | 'tcp';
  /** Only relays of these servers are tried. */
  relay?: IceServers;
}

const limitMs = 6_000;

/**
 * Tries whether one path leads to a transport of the server. Only ICE is tried: no media flows.
 * @returns milliseconds until the path was found; null if it was not
 */
export async function probePath(transport: WireTransport, { protocol, relay }: Path): Promise<number | null> {
  const connection = new RTCPeerConnection(
    relay ? { iceServers: relay as RTCIceServer[], iceTransportPolicy: 'relay' } : {},
  );
  try {
    connection.createDataChannel('test');
    await connection.setLocalDescription(await connection.createOffer());
    const startedAt = Date.now();
    const connected = new Promise<boolean>((resolve) => {
      setTimeout(() => resolve(false), limitMs);
      connection.oniceconnectionstatechange = () => {
        const { iceConnectionState: state } = connection;
        if (state === 'connected' || state === 'completed') resolve(true);
        else if (state === 'failed' || state === 'closed') resolve(false);
      };
    });
    await connection.setRemoteDescription({ type: 'answer', sdp: answerOf(transport, protocol) });
    return (await connected) ? Date.now() - startedAt : null;
  } finally {
    connection.close();
  }
}

/** An answer that only serves to reach the transport. */
function answerOf(
  { iceParameters, iceCandidates, dtlsParameters }: WireTransport,
  protocol: 'udp' | 'tcp' | undefined,
): string {
  const [fingerprint] = dtlsParameters.fingerprints;
  const candidates = iceCandidates
    .filter((candidate) => !protocol || candidate.protocol === protocol)
    .map(({ foundation, protocol: over, priority, address, port, type, tcpType }) =>
      [
        'a=candidate:' + foundation,
        1,
        over,
        priority,
        address,
        port,
        'typ',
        type,
        ...(tcpType ? ['tcptype', tcpType] : []),
      ].join(' '),
    );
  return [
    'v=0',
    'o=- 1 1 IN IP4 0.0.0.0',
    's=-',
    't=0 0',
    'a=ice-lite',
    `a=fingerprint:${fingerprint?.algorithm} ${fingerprint?.value}`,
    'a=group:BUNDLE 0',
    'm=application 9 UDP/DTLS/SCTP webrtc-datachannel',
    'c=IN IP4 0.0.0.0',
    'a=mid:0',
    'a=sctp-port:5000',
    'a=setup:passive',
    `a=ice-ufrag:${iceParameters.usernameFragment}`,
    `a=ice-pwd:${iceParameters.password}`,
    ...candidates,
    'a=end-of-candidates',
    '',
  ].join('\r\n');
}
