import type { WireTransport } from '../../../../sdk/protocol/media.ts';

/** A server's transport with one UDP and one TCP candidate and two fingerprints. */
export const transport: Pick<WireTransport, 'iceParameters' | 'iceCandidates' | 'dtlsParameters'> = {
  iceParameters: { usernameFragment: 'server', password: 'secret', iceLite: true },
  iceCandidates: [
    {
      foundation: 'udp',
      priority: 1076302079,
      address: '203.0.113.5',
      ip: '203.0.113.5',
      protocol: 'udp',
      port: 40000,
      type: 'host',
    },
    {
      foundation: 'tcp',
      priority: 1076276479,
      address: '203.0.113.5',
      ip: '203.0.113.5',
      protocol: 'tcp',
      port: 40000,
      type: 'host',
      tcpType: 'passive',
    },
  ],
  dtlsParameters: {
    role: 'auto',
    fingerprints: [
      { algorithm: 'sha-1', value: '11:22' },
      { algorithm: 'sha-256', value: 'AA:BB' },
    ],
  },
};
