import { IconUser } from '@tabler/icons-react';
import { Identicon } from './Identicon.tsx';
import classes from './People.module.css';

interface Props {
  /** null for a person without a wallet. */
  address: string | null;
  name: string;
  /** Details in one line, for example "You · Host". */
  facts: string;
}

/** A person in a list, with avatar, name and some facts. */
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
      <div className={classes['details']}>
        <span className={classes['name']} title={address ?? undefined}>
          {name}
        </span>
        {facts && <span className={classes['facts']}>{facts}</span>}
      </div>
    </>
  );
}
