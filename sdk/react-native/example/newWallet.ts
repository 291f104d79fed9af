import { secp256k1 } from '@noble/curves/secp256k1.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import type { Signer } from '@parley/sdk';

const hex = (bytes: Uint8Array) =>
  `0x${[...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;

/**
 * A new wallet, which is lost when the app ends. An app for users connects their wallet instead, for example with WalletConnect, and passes
 * its EIP-1193 provider to `client.signIn()`.
 */
export function newWallet(): Signer {
  const key = secp256k1.utils.randomPrivateKey();
  const address = keccak_256(secp256k1.getPublicKey(key, false).slice(1)).slice(-20);
  return {
    address: hex(address),
    // EIP-191. A sign-in message contains ASCII characters only.
    signMessage: ({ message }: { message: string }) => {
      const text = `\x19Ethereum Signed Message:\n${message.length}${message}`;
      const bytes = Uint8Array.from(text, (character) => character.charCodeAt(0));
      const signature = secp256k1.sign(keccak_256(bytes), key);
      const recovery = Uint8Array.of(27 + signature.recovery);
      return Promise.resolve(hex(signature.toCompactRawBytes()) + hex(recovery).slice(2));
    },
  };
}
