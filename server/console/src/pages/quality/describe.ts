import { spokenDuration } from '@parley/react';
import { atMoment, atTime, onDay } from '../../ui/numbers.ts';
import { sampleMs, type Finding, type Period, type QualityEvent, type Sample } from './joinParts.ts';

/** For example "Mar 2, 2026, 2:00:00 PM to 2:03:05 PM". */
export function describePeriod({ from, to }: Period): string {
  const isOneDay = onDay(from) === onDay(to);
  return `${atMoment(from)} to ${isOneDay ? atTime(to) : atMoment(to)}`;
}

/** A finding as a sentence. @param who the participant that it concerns: null for the user's own device */
export function describeFinding(finding: Finding, who: string | null): string {
  const [from, to] = [atTime(finding.from), atTime(finding.to)];
  const when = from === to ? `At ${from}` : `From ${from} to ${to}`;
  return `${when}, ${describeCause(finding, who)}`;
}

function describeCause({ cause, message }: Finding, who: string | null): string {
  const its = (what: string) => (who === null ? `your ${what}` : `the ${what} of ${who}`);
  switch (cause) {
    case 'participant_network':
      return `${its('network')} was bad: packets were late or lost, or bandwidth was missing.`;
    case 'participant_device':
      return `${its('device')} was too slow for the video.`;
    case 'connection_lost':
      return `${its('device')} lost its connection to the server.`;
    default:
      // These concern everybody: the server's sentence is complete.
      return message.charAt(0).toLowerCase() + message.slice(1);
  }
}

export const eventLabels: Record<QualityEvent['kind'], string> = {
  joined: 'joined',
  left: 'left',
  connection_lost: 'connection to the server lost',
  connection_back: 'connection to the server back',
  media_disconnected: 'media interrupted',
  worker_died: 'media worker died',
  node_died: 'node died',
  moved: 'media moved to another node',
};

const transports = { udp: 'UDP', tcp: 'TCP', tls: 'TLS' };

export const describePath = (path: Sample['path']): string =>
  path ? `${transports[path.over]}${path.relayed ? ', relayed by a TURN server' : ''}` : 'not connected';

/** Every path that the media took, in the order of time. */
export function describePaths(samples: Sample[]): string {
  const paths = samples.flatMap(({ path }) => (path ? describePath(path) : []));
  return [...new Set(paths)].join('; then ') || 'not connected';
}

const limits = { cpu: 'a slow device', bandwidth: 'missing bandwidth', other: 'something else' };

/** What made the browser send less than it wanted, and for how long. */
export function describeLimits(samples: Sample[]): string {
  const known = samples.flatMap(({ sending }) => sending?.limitedBy ?? []);
  if (known.length === 0) return 'not measured';
  const found = (['bandwidth', 'cpu', 'other'] as const).flatMap((limit) => {
    const count = known.filter((each) => each === limit).length;
    return count > 0 ? `${limits[limit]} for ${spokenDuration((count * sampleMs) / 1_000)}` : [];
  });
  return found.join(', ') || 'nothing';
}

const share = (value: number) => `${Math.round(value * 100)}\u00a0%`;

/** How busy the node was that carried the media. */
export function describeServer(samples: Sample[]): string {
  const known = samples.flatMap(({ server }) => server ?? []);
  if (known.length === 0) return 'not measured';
  const most = (values: number[]) => share(values.reduce((high, value) => Math.max(high, value), 0));
  return `CPU up to ${most(known.map(({ cpu }) => cpu))}, media load up to ${most(known.map(({ load }) => load))}`;
}
