import { Box, Group } from '@mantine/core';
import { Avatar } from '@parley/react';
import { useEffect, useRef, type ReactNode } from 'react';
import classes from './Cards.module.css';

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
  /** Shown below the details and the buttons, over the whole width. */
  below?: ReactNode;
  /** Whether a link leads to this item: the page scrolls to it. */
  isTarget?: boolean;
  /** Attributes for tests: data-testid and those that identify the item. */
  data: Record<`data-${string}`, string | boolean>;
}

/** An item of a list of cards. */
export function CardItem({ name, address, isPlain = false, isTarget = false, ...rest }: Props) {
  const { children, tools, below, data } = rest;
  const item = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (isTarget) item.current?.scrollIntoView();
  }, [isTarget]);
  return (
    <li
      ref={item}
      className={isPlain ? classes['item'] : `parley-card ${classes['item']}`}
      data-target={isTarget || undefined}
      {...data}
    >
      {address !== undefined && <Avatar address={address} size={44} />}
      <Box flex="1 1 12rem" miw={0}>
        <div className={classes['name']} dir="auto">
          {name}
        </div>
        {children}
      </Box>
      <Group gap={6} ml="auto">
        {tools}
      </Group>
      {below}
    </li>
  );
}
