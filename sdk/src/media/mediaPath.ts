/** How a device's media reaches the server. */
export interface MediaPath {
  /** The transport to the server, or to the TURN server that relays. */
  over: 'udp' | 'tcp' | 'tls';
  /** Whether a TURN server relays. */
  relayed: boolean;
}

/** The WebRTC statistics of a call, room or stream. */
export interface MediaStats {
  sending: RTCStats[];
  receiving: RTCStats[];
  /** How the media reaches the server; null while it is not connected. */
  path: MediaPath | null;
}

type Entry = RTCStats & Record<string, unknown>;

/** Reads the path from the statistics of a connection; null while it is not connected. */
export function pathIn(stats: RTCStats[]): MediaPath | null {
  const entries = stats as Entry[];
  const find = (id: unknown) => entries.find((entry) => entry.id === id);
  const chosen = entries.find(({ type }) => type === 'transport')?.['selectedCandidatePairId'];
  // Firefox marks the pair itself.
  const isChosen = (entry: Entry) => entry.type === 'candidate-pair' && entry['selected'] === true;
  const pair = find(chosen) ?? entries.find(isChosen);
  const local = find(pair?.['localCandidateId']);
  const remote = find(pair?.['remoteCandidateId']);
  if (!local || !remote) return null;
  // A relay behind a NAT is a `prflx` candidate, which then has the relay's protocol.
  const relayed = local['candidateType'] === 'relay' || Boolean(local['relayProtocol']);
  return { over: asTransport(relayed ? local['relayProtocol'] : remote['protocol']), relayed };
}

const asTransport = (name: unknown) => (name === 'tcp' || name === 'tls' ? name : 'udp');
