import type { WireTransport } from '../../../protocol/media.ts';
import type { MediaTestFigures, MediaTestFinding, MediaTestReport } from './mediaTestTypes.ts';

/* What the measurements of a test mean. */

interface Paths {
  /** Milliseconds until each path was found; null for one that was not. */
  udp: number | null;
  tcp: number | null;
  relays: { url: string; ms: number | null }[];
  transport: WireTransport;
}

export function judgePaths({ udp, tcp, relays, transport }: Paths): MediaTestFinding[] {
  const hasRelay = relays.some(({ ms }) => ms !== null);
  const where = (protocol: 'udp' | 'tcp') => {
    const found = transport.iceCandidates.find((candidate) => candidate.protocol === protocol);
    return found
      ? `${protocol.toUpperCase()} port ${found.port} of ${found.address}`
      : protocol.toUpperCase();
  };
  const isLost = udp === null && tcp === null && !hasRelay;
  const otherwise =
    tcp !== null ? 'Calls go over TCP' : hasRelay ? 'Calls are relayed' : 'Calls have no media';
  return [
    udp === null
      ? {
          check: 'udp',
          level: isLost ? 'error' : 'warning',
          message: `Your network blocks UDP. ${otherwise}${isLost ? '' : ', with more delay'}. Allow outgoing traffic to ${where('udp')}.`,
        }
      : { check: 'udp', level: 'ok', message: `UDP reaches the server (${udp} ms).` },
    tcp === null
      ? {
          check: 'tcp',
          level: isLost ? 'error' : udp !== null ? 'ok' : 'warning',
          message:
            udp !== null
              ? 'TCP does not reach the media server, or this browser does not try it. UDP is enough.'
              : `Your network blocks direct connections by TCP. ${otherwise}. Allow outgoing traffic to ${where('tcp')}.`,
        }
      : { check: 'tcp', level: 'ok', message: `TCP reaches the server (${tcp} ms).` },
    ...judgeRelays(relays, isLost),
  ];
}

function judgeRelays(relays: Paths['relays'], isLost: boolean): MediaTestFinding[] {
  if (relays.length === 0)
    return [
      {
        check: 'turn',
        level: isLost ? 'error' : 'ok',
        message: isLost
          ? 'The server has no TURN server that could relay calls. Ask its operator to set TURN=auto, with TLS on port 443.'
          : 'The server has no TURN server. Calls do not need it from here.',
      },
    ];
  return relays.map(({ url, ms }) =>
    ms === null
      ? {
          check: 'turn',
          level: isLost ? 'error' : 'warning',
          url,
          message: `${url} does not relay. Your network blocks it, or the server's TURN settings are wrong (the operator runs npm run doctor).`,
        }
      : { check: 'turn', level: 'ok', url, message: `${url} relays (${ms} ms).` },
  );
}

const littleKbit = 500;
const longMs = 300;
const manyLost = 0.03;

export function judgeFigures(figures: MediaTestFigures | null): MediaTestFinding {
  const check = 'connection';
  if (!figures)
    return { check, level: 'warning', message: 'No video could be sent to measure the connection.' };
  const { uploadKbit, downloadKbit, roundTripMs, lost } = figures;
  const facts = describe(figures);
  const weak = [
    ...(Math.min(uploadKbit, downloadKbit) < littleKbit ? ['is too slow for video'] : []),
    ...(lost > manyLost ? ['loses packets'] : []),
    ...((roundTripMs ?? 0) > longMs ? ['has a long delay'] : []),
  ];
  if (weak.length === 0) return { check, level: 'ok', message: `The connection is good: ${facts}.` };
  const advice = 'Move closer to the Wi-Fi router or use a cable, and end downloads and VPNs.';
  return { check, level: 'warning', message: `The connection ${weak.join(' and ')}: ${facts}. ${advice}` };
}

function describe({ uploadKbit, downloadKbit, roundTripMs, lost, path }: MediaTestFigures): string {
  return [
    `${uploadKbit} kbit/s up`,
    `${downloadKbit} kbit/s down`,
    ...(roundTripMs === null ? [] : [`${roundTripMs} ms round trip`]),
    `${(lost * 100).toFixed(1)} % lost`,
    ...(path ? [`${path.relayed ? 'relayed' : 'direct'} over ${path.over.toUpperCase()}`] : []),
  ].join(', ');
}

export function reportText({ startedAt, findings }: Omit<MediaTestReport, 'text'>): string {
  const browser = typeof navigator === 'undefined' ? null : navigator.userAgent;
  const lines = findings.map(
    ({ check, level, message }) => `${level.toUpperCase().padEnd(7)} ${check}: ${message}`,
  );
  return [`Connection test of ${startedAt.toISOString()}`, ...(browser ? [browser] : []), ...lines].join(
    '\n',
  );
}
