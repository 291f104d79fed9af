import { parse, write } from 'sdp-transform';
import type { ServerEnd } from '../../harness/clients/RtpTransport.ts';
import { payloadTypes, type OwnEnd } from './BenchParticipant.ts';
import { extensionIds } from './rtp.ts';

/* Session descriptions of peers that send or receive Opus and VP8 on one transport, for servers that have no other way to agree on it. */

/**
 * An offer, with the header extensions that the peer sends or reports on.
 * @param setup `active` if the server would otherwise be the DTLS client. @default `actpass`, as in a browser's offer
 */
export function offerOf(
  own: OwnEnd,
  direction: 'sendonly' | 'recvonly',
  setup: 'actpass' | 'active' = 'actpass',
): string {
  const { opus, vp8 } = payloadTypes;
  const section = (kind: string, mid: number, payloadType: number, codec: string[]) => [
    `m=${kind} 9 UDP/TLS/RTP/SAVPF ${payloadType}`,
    'c=IN IP4 0.0.0.0',
    ...transportLines(own, setup),
    `a=mid:${mid}`,
    `a=${direction}`,
    'a=rtcp-mux',
    'a=rtcp-rsize',
    `a=extmap:${extensionIds.mid} urn:ietf:params:rtp-hdrext:sdes:mid`,
    `a=extmap:${extensionIds.absoluteSendTime} http://www.webrtc.org/experiments/rtp-hdrext/abs-send-time`,
    `a=extmap:${extensionIds.transportSequence} http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01`,
    ...codec,
    `a=rtcp-fb:${payloadType} transport-cc`,
  ];
  return [
    'v=0',
    'o=- 1 1 IN IP4 127.0.0.1',
    's=-',
    't=0 0',
    'a=group:BUNDLE 0 1',
    ...section('audio', 0, opus, [`a=rtpmap:${opus} opus/48000/2`, `a=fmtp:${opus} useinbandfec=1`]),
    ...section('video', 1, vp8, [`a=rtpmap:${vp8} VP8/90000`, `a=rtcp-fb:${vp8} nack pli`]),
    '',
  ].join('\r\n');
}

/** The answer to an offer of media: the peer receives all of it, and is the DTLS client. */
export function answerOf(offer: string, own: OwnEnd): string {
  // The rest of the session's attributes describe the server's end.
  const { media, version, origin, name, timing, groups } = parse(offer);
  const answered = media.map(({ candidates: _candidates, ssrcs: _ssrcs, ...section }) => ({
    ...section,
    direction: 'recvonly' as const,
    ...ownAttributes(own),
    setup: 'active',
  }));
  return write({ version, origin, name, timing, ...(groups && { groups }), media: answered });
}

/** The server's end of the transport, from its offer or answer. */
export function serverEndOf(description: string): ServerEnd {
  const { media, ...session } = parse(description);
  const used = media.find(({ port }) => port !== 0);
  const { iceUfrag, icePwd, candidates } = used ?? {};
  const fingerprint = used?.fingerprint ?? session.fingerprint;
  if (!iceUfrag || !icePwd || !fingerprint || !candidates)
    throw new Error('the description has no transport');
  return {
    iceParameters: { usernameFragment: iceUfrag, password: icePwd },
    iceCandidates: candidates.map(({ foundation, priority, ip, transport, port }) => ({
      foundation,
      priority: Number(priority),
      address: ip,
      ip,
      protocol: transport.toLowerCase() === 'udp' ? 'udp' : 'tcp',
      port,
      type: 'host',
    })),
    dtlsParameters: { fingerprints: [{ algorithm: fingerprint.type, value: fingerprint.hash }] },
  };
}

function ownAttributes({ iceParameters, dtlsParameters }: OwnEnd) {
  const [{ algorithm = '', value = '' } = {}] = dtlsParameters.fingerprints;
  const { usernameFragment: iceUfrag, password: icePwd } = iceParameters;
  return { iceUfrag, icePwd, fingerprint: { type: algorithm, hash: value } };
}

function transportLines(own: OwnEnd, setup: string): string[] {
  const { iceUfrag, icePwd, fingerprint } = ownAttributes(own);
  return [
    `a=ice-ufrag:${iceUfrag}`,
    `a=ice-pwd:${icePwd}`,
    `a=fingerprint:${fingerprint.type} ${fingerprint.hash}`,
    `a=setup:${setup}`,
  ];
}
