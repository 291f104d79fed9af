import { onChain, type Address } from '@parley/sdk';

/** The avatar of a wallet, guest or group, computed from its address, identity or id. It is the same on every device. */
export interface Identity {
  background: string;
  blobs: { x: number; y: number; radius: number; colour: string }[];
}

export function identityOf(party: string): Identity {
  const bytes = /^(guest:|account:|grp_)/.test(party) ? bytesOfText(party) : bytesOfWallet(party as Address);
  const at = (index: number) => bytes[index] ?? 0;
  const hue = (at(0) * 256 + at(1)) % 360;
  const blob = (first: number, shift: number) => ({
    x: 4 + (at(first) / 255) * 32,
    y: 4 + (at(first + 1) / 255) * 32,
    radius: 9 + (at(first + 2) / 255) * 9,
    colour: `hsl(${(hue + shift + (at(first + 3) % 40)) % 360} 52% ${46 + (at(first + 4) % 22)}%)`,
  });
  return { background: `hsl(${hue} 38% 32%)`, blobs: [blob(2, 30), blob(7, 150), blob(12, 260)] };
}

function bytesOfWallet(wallet: Address): number[] {
  const { address, chainId } = onChain(wallet);
  return Array.from({ length: 20 }, (_, index) => {
    const byte = parseInt(address.slice(2 + index * 2, 4 + index * 2), 16);
    // The same address on two chains may belong to different owners, so the avatars must differ.
    const ofChain = ((chainId ?? 0) * (2 * index + 1)) % 251;
    return Number.isNaN(byte) ? 0 : byte ^ ofChain;
  });
}

/** FNV-1a, continued for each byte. */
function bytesOfText(text: string): number[] {
  let hash = 0x811c9dc5;
  const mix = (value: number) => (hash = Math.imul(hash ^ value, 0x01000193));
  for (const byte of new TextEncoder().encode(text)) mix(byte);
  return Array.from({ length: 20 }, (_, index) => (mix(index) >>> 16) & 0xff);
}
