import { isGuest } from '@parley/sdk';
import { IconUser } from '@tabler/icons-react';
import type { ComponentPropsWithoutRef } from 'react';
import { classNames } from '../ui/classNames.ts';
import { Avatar } from './Avatar.tsx';
import { GuestMark } from './GuestMark.tsx';
import classes from './People.module.css';

interface Props {
  /** The wallet, or `guest:…`; null for a person without either. */
  address: string | null;
  name: string;
  /** Details in one line, for example "You · Host". */
  facts: string;
}

/** A person with avatar, name and some facts. */
export function PersonSummary({ address, name, facts }: Props) {
  return (
    <>
      {address ? (
        <Avatar address={address} size={36} />
      ) : (
        <span className={classes['guest']}>
          <IconUser size={20} aria-hidden />
        </span>
      )}
      <div className={classes['details']}>
        <span className={classes['name']} dir="auto" title={address ?? undefined}>
          {name} {address && isGuest(address) && <GuestMark />}
        </span>
        {facts && <span className={classes['facts']}>{facts}</span>}
      </div>
    </>
  );
}

/** A person in a list, with buttons as children. */
export function PersonItem({
  address,
  name,
  facts,
  className,
  children,
  ...rest
}: Props & ComponentPropsWithoutRef<'li'>) {
  return (
    <li className={classNames(classes['person'], className)} {...rest}>
      <PersonSummary address={address} name={name} facts={facts} />
      {children}
    </li>
  );
}
