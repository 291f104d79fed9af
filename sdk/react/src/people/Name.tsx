import type { ComponentPropsWithoutRef } from 'react';
import { classNames } from '../ui/classNames.ts';
import { partyName } from './partyName.ts';
import classes from './People.module.css';
import { usePerson } from './usePeople.ts';

interface Props extends ComponentPropsWithoutRef<'span'> {
  /** The wallet, or `guest:…`. */
  address: string;
}

/** The name of a wallet, or its short address. */
export function Name({ address, className, ...rest }: Props) {
  const name = usePerson(address)?.name;
  return (
    <span
      className={classNames(name ? classes['ownName'] : classes['address'], className)}
      title={address}
      data-testid="person-name"
      {...rest}
    >
      {name ?? partyName(address)}
    </span>
  );
}
