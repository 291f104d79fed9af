/**
 * Before the words of what is to be made: a session description on standard input, and the packets it tells of.
 * @param analyzeSeconds how long it waits, at most, until it knows the form of all that comes
 */
export const egressArgs = (analyzeSeconds: number): string[] => [
  ...['-protocol_whitelist', 'pipe,udp,rtp,srtp', '-analyzeduration', String(analyzeSeconds * 1_000_000)],
  ...['-probesize', String(analyzeSeconds * 1_000_000), '-max_delay', '300000', '-buffer_size', '4194304'],
  ...['-f', 'sdp', '-i', 'pipe:0'],
];
