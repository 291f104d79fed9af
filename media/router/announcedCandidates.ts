import type { types } from 'mediasoup';

/**
 * The ICE candidates to tell clients. mediasoup announces one address per socket; the other announced addresses lead to the same socket.
 * @param announcedAddresses the first of them is in the candidates of mediasoup
 */
export function announcedCandidates(
  { iceCandidates }: Pick<types.WebRtcTransport, 'iceCandidates'>,
  announcedAddresses: string[],
): types.IceCandidate[] {
  const further = announcedAddresses
    .slice(1)
    .flatMap((address) => iceCandidates.map((candidate) => ({ ...candidate, address, ip: address })));
  return [...iceCandidates, ...further];
}
