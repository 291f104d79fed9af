import { IconUser } from '@tabler/icons-react';
import { Identicon } from './Identicon.tsx';
import classes from './People.module.css';

interface Props {
  /** Null for somebody without a wallet. */
  address: string | null;
  name: string;
  /** What else there is to know: "You · Host". */
  facts: string;
}

/** A person in a list: the identicon, the name and some facts. */
export function PersonSummary({ address, name, facts }: Props) {
  return (
    <>
      {address ? (
        <Identicon address={address} size={36} />
      ) : (
        <span className={classes['guest']}>
          <IconUser size={20} aria-hidden />
        </span>
      )}
      <div className={classes['words']}>
        <span className={classes['name']} title={address ?? undefined}>
          {name}
        </span>
        {facts && <span className={classes['facts']}>{facts}</span>}
      </div>
    </>
  );
}
