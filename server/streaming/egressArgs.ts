/**
 * The first arguments of an egress ffmpeg, which reads a session description from standard input and then receives the packets it
 * describes.
 * @param analyzeSeconds the maximum time ffmpeg may take to detect the formats of all tracks
 */
export const egressArgs = (analyzeSeconds: number): string[] => [
  ...['-protocol_whitelist', 'pipe,udp,rtp,srtp', '-analyzeduration', String(analyzeSeconds * 1_000_000)],
  ...['-probesize', String(analyzeSeconds * 1_000_000), '-max_delay', '300000', '-buffer_size', '4194304'],
  ...['-f', 'sdp', '-i', 'pipe:0'],
];
