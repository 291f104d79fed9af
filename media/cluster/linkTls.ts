import { Agent, type ServerOptions } from 'node:https';

/**
 * TLS without certificates: both ends have the key that every node derives from SECRET_KEY. Others can neither read nor
 * take part (TLS-PSK). Each connection has keys of its own besides (ECDHE), so what was recorded stays closed when the key gets known.
 * These suites belong to TLS 1.2.
 */
const suite = {
  ciphers: 'ECDHE-PSK-CHACHA20-POLY1305',
  minVersion: 'TLSv1.2',
  maxVersion: 'TLSv1.2',
} as const;
const identity = 'parley';

/** What a node listens with. @param key 32 bytes */
export const linkServerTls = (key: Buffer): ServerOptions => ({
  ...suite,
  handshakeTimeout: 2_000,
  pskCallback: (_socket, name) => (name === identity ? key : null),
});

/** What a node connects with. @param key 32 bytes */
export const linkAgent = (key: Buffer): Agent =>
  new Agent({
    ...suite,
    pskCallback: () => ({ psk: key, identity }),
    // There is no certificate that could name the other end: its knowing the key is the proof.
    checkServerIdentity: () => undefined,
  });
