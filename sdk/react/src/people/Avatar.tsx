import { useState } from 'react';
import { Identicon } from './Identicon.tsx';
import classes from './People.module.css';
import { usePerson } from './usePeople.ts';

interface Props {
  /** The wallet, or `guest:…`. */
  address: string;
  /** A number of pixels, or a CSS length. */
  size: number | string;
}

/** The image that a wallet has chosen, or the one that is computed from its address. */
export const Avatar = ({ address, size }: Props) => (
  <AvatarImage url={usePerson(address)?.avatarUrl ?? null} address={address} size={size} />
);

/** An image in the shape of an avatar. @param props.url the image; null for the one that is computed from the address */
export function AvatarImage({ url, address, size }: Props & { url: string | null }) {
  const [failed, setFailed] = useState<string | null>(null);
  if (url === null || url === failed) return <Identicon address={address} size={size} />;
  return (
    <img
      className={classes['avatar']}
      style={{ width: size, aspectRatio: 1 }}
      src={url}
      alt=""
      // The URL has expired.
      onError={() => setFailed(url)}
      data-testid="avatar"
    />
  );
}
