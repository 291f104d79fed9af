import { Identicon } from '@parley/react';
import { useState } from 'react';
import { usePerson } from '../data/usePeople.ts';

interface Props {
  address: string;
  size: number | string;
}

/** The image of a wallet, if it tells one to this wallet. Otherwise, the one that is computed from its address. */
export function Avatar({ address, size }: Props) {
  return <AvatarImage url={usePerson(address)?.avatarUrl ?? null} address={address} size={size} />;
}

/** @param props.url the image; null for none */
export function AvatarImage({ url, address, size }: Props & { url: string | null }) {
  const [failed, setFailed] = useState<string | null>(null);
  if (url === null || url === failed) return <Identicon address={address} size={size} />;
  return (
    <img
      style={{
        flex: 'none',
        display: 'block',
        borderRadius: '50%',
        objectFit: 'cover',
        width: size,
        height: size,
      }}
      src={url}
      alt=""
      // The URL has expired.
      onError={() => setFailed(url)}
      data-testid="avatar"
    />
  );
}
