import type { ReactNode } from 'react';
import classes from './CardList.module.css';
import { Identicon } from './Identicon.tsx';

interface Props {
  name: string;
  /** Whose it is, where that is worth a picture. */
  address?: string;
  /** Within a card: it is none itself. */
  isPlain?: boolean;
  /** What there is to know, below its name. */
  children: ReactNode;
  /** What can be done with it. */
  tools: ReactNode;
  /** For tests: data-testid, and what else tells it from the others. */
  data: Record<`data-${string}`, string | boolean>;
}

/** One of a CardList. */
export function CardItem({ name, address, isPlain = false, children, tools, data }: Props) {
  return (
    <li className={isPlain ? classes['item'] : `parley-card ${classes['item']}`} {...data}>
      {address !== undefined && <Identicon address={address} size={44} />}
      <div className={classes['words']}>
        <div className={classes['name']}>{name}</div>
        {children}
      </div>
      <div className={classes['tools']}>{tools}</div>
    </li>
  );
}
