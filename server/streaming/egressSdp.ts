import type { NewEgress, OpenEgress } from '../../media/roomOperations.ts';
import { kindOf, srtpSuite } from '../../media/plainRtp.ts';

/**
 * Writes the session description of an egress for ffmpeg. Packets from other addresses are ignored.
 * @param listening.ip the address of this node; packets from the same host arrive at 127.0.0.1
 */
export function egressSdp({ tracks }: OpenEgress, { ip, ports }: Pick<NewEgress, 'ip' | 'ports'>): string {
  const media = tracks.flatMap(({ source, rtpParameters, from }) => {
    const [codec] = rtpParameters.codecs;
    if (!codec) return [];
    const { payloadType, mimeType, clockRate, channels, parameters = {} } = codec;
    const name = mimeType.slice(mimeType.indexOf('/') + 1);
    const settings = Object.entries(parameters).map(([key, value]) => `${key}=${value}`);
    const isSecure = from.srtpKeyBase64 !== null;
    const kind = kindOf(source);
    const local = isSecure ? ip : '127.0.0.1';
    return [
      `m=${kind} ${ports[kind]} RTP/${isSecure ? 'SAVP' : 'AVP'} ${payloadType}`,
      `c=${network(local)} ${local}`,
      `a=source-filter: incl ${network(from.ip)} ${local} ${from.ip}`,
      `a=rtpmap:${payloadType} ${name}/${clockRate}${channels ? `/${channels}` : ''}`,
      ...(settings.length > 0 ? [`a=fmtp:${payloadType} ${settings.join(';')}`] : []),
      ...(isSecure ? [`a=crypto:1 ${srtpSuite} inline:${from.srtpKeyBase64}`] : []),
    ];
  });
  return ['v=0', 'o=- 0 0 IN IP4 127.0.0.1', 's=-', 't=0 0', ...media, ''].join('\r\n');
}

const network = (ip: string) => (ip.includes(':') ? 'IN IP6' : 'IN IP4');
