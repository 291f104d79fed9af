import { parse } from 'sdp-transform';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import type { WireTransport } from '../../sdk/protocol/media.ts';
import { toCandidate } from './writeAnswer.ts';

/** The part of a WHIP or WHEP PATCH body (application/trickle-ice-sdpfrag) that an ICE-lite server needs. */
export interface IceFragment {
  usernameFragment: string | null;
}

/** @throws ParleyError VALIDATION_ERROR with the reason `invalid_request` if the text is not a fragment */
export function parseIceFragment(text: string): IceFragment {
  if (!/^a=(ice-|group:|candidate:|end-of-candidates)|^m=/m.test(text)) {
    throw new ParleyError('VALIDATION_ERROR', 'The body is not a trickle-ice-sdpfrag.', {
      reason: 'invalid_request',
    });
  }
  const { iceUfrag, media } = parse(text);
  const found = iceUfrag ?? media.find((section) => section.iceUfrag !== undefined)?.iceUfrag;
  return { usernameFragment: found === undefined ? null : String(found) };
}

/** The answer to an ICE restart: the server's new user name fragment and password, with the same candidates. */
export function writeIceFragment(
  mids: string[],
  { iceParameters, iceCandidates }: Pick<WireTransport, 'iceParameters' | 'iceCandidates'>,
): string {
  const [first = '0'] = mids;
  const candidates = iceCandidates.map(toCandidate).map(({ foundation, component, transport, ...rest }) => {
    const { priority, ip, port, type, tcptype } = rest;
    const tcp = tcptype ? ` tcptype ${tcptype}` : '';
    return `a=candidate:${foundation} ${component} ${transport} ${priority} ${ip} ${port} typ ${type}${tcp}`;
  });
  const lines = [
    'a=ice-lite',
    `a=group:BUNDLE ${mids.join(' ')}`,
    `a=ice-ufrag:${iceParameters.usernameFragment}`,
    `a=ice-pwd:${iceParameters.password}`,
    'm=audio 9 UDP/TLS/RTP/SAVPF 0',
    `a=mid:${first}`,
    ...candidates,
    'a=end-of-candidates',
  ];
  return `${lines.join('\r\n')}\r\n`;
}
