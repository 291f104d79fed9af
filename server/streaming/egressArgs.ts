/**
 * The first arguments of an egress ffmpeg: the input is a session description on standard input, and the packets it describes.
 * @param analyzeSeconds the maximum time in which ffmpeg detects the format of all tracks
 */
export const egressArgs = (analyzeSeconds: number): string[] => [
  ...['-protocol_whitelist', 'pipe,udp,rtp,srtp', '-analyzeduration', String(analyzeSeconds * 1_000_000)],
  ...['-probesize', String(analyzeSeconds * 1_000_000), '-max_delay', '300000', '-buffer_size', '4194304'],
  ...['-f', 'sdp', '-i', 'pipe:0'],
];
