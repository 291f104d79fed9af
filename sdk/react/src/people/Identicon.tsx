import { identityOf } from './identity.ts';

/** The avatar of a wallet or guest, which is computed from its address or identity. */
export function Identicon({ address, size }: { address: string; size: number | string }) {
  const { background, blobs } = identityOf(address);
  return (
    <svg
      style={{ flex: 'none', display: 'block', borderRadius: '50%', width: size, aspectRatio: 1, background }}
      viewBox="0 0 40 40"
      aria-hidden="true"
      focusable="false"
    >
      {blobs.map(({ x, y, radius, colour }, index) => (
        <circle key={index} cx={x} cy={y} r={radius} fill={colour} fillOpacity={0.88} />
      ))}
    </svg>
  );
}
