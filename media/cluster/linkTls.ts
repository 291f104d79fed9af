import { Agent, type ServerOptions } from 'node:https';

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

/** Options of a listening node. @param key 32 bytes */
export const linkServerTls = (key: Buffer): ServerOptions => ({
  ...suite,
  handshakeTimeout: 2_000,
  pskCallback: (_socket, name) => (name === identity ? key : null),
});

/** Agent of a connecting node. @param key 32 bytes */
export const linkAgent = (key: Buffer): Agent =>
  new Agent({
    ...suite,
    pskCallback: () => ({ psk: key, identity }),
    // There is no certificate to check. The other end proves its identity by having the key.
    checkServerIdentity: () => undefined,
  });
