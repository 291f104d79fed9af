import { Box, Group } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './Cards.module.css';
import { Avatar } from './Avatar.tsx';

interface Props {
  name: string;
  /** The wallet whose avatar to show. */
  address?: string;
  /** Whether to show the item without a card of its own, for use within a card. */
  isPlain?: boolean;
  /** Details below the name. */
  children: ReactNode;
  /** Buttons for the item. */
  tools: ReactNode;
  /** Attributes for tests: data-testid and those that identify the item. */
  data: Record<`data-${string}`, string | boolean>;
}

/** An item of a list of cards. */
export function CardItem({ name, address, isPlain = false, children, tools, data }: Props) {
  return (
    <li className={isPlain ? classes['item'] : `parley-card ${classes['item']}`} {...data}>
      {address !== undefined && <Avatar address={address} size={44} />}
      <Box flex="1 1 12rem" miw={0}>
        <div className={classes['name']}>{name}</div>
        {children}
      </Box>
      <Group gap={6} ml="auto">
        {tools}
      </Group>
    </li>
  );
}
