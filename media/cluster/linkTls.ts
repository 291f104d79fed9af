import { Agent, type ServerOptions } from 'node:https';
import type { Keys } from '../../platform/keys.ts';

/**
 * TLS without certificates (TLS-PSK): both ends use the key that every node derives from SECRET_KEY. Without it, no one can connect or read
 * the traffic. Each connection also has its own session keys (ECDHE), so recorded traffic stays secret even if the shared key leaks. These
 * suites require TLS 1.2.
 */
const suite = {
  ciphers: 'ECDHE-PSK-CHACHA20-POLY1305',
  minVersion: 'TLSv1.2',
  maxVersion: 'TLSv1.2',
} as const;
const identity = 'parley';

/** Options of a listening node. @param keys 32 bytes each. The key in use is taken when a connection is made */
export const linkServerTls = (keys: Keys): ServerOptions => ({
  ...suite,
  handshakeTimeout: 2_000,
  pskCallback: (_socket, name) => (name === identity ? keys()[0] : null),
});

/** Agent of a connecting node. @param keys 32 bytes each */
export const linkAgent = (keys: Keys): Agent =>
  new Agent({
    ...suite,
    pskCallback: () => ({ psk: keys()[0], identity }),
    // There is no certificate to check. The other end proves its identity by having the key.
    checkServerIdentity: () => undefined,
  });
