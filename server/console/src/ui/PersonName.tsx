import { partyName } from '@parley/react';
import { Text, type TextProps } from '@mantine/core';
import { usePerson } from '../data/usePeople.ts';

/** The name of a wallet as this wallet knows it, or its short address. */
export function PersonName({ address, ...style }: { address: string } & TextProps) {
  const name = usePerson(address)?.name;
  return (
    <Text ff={name ? 'text' : 'monospace'} truncate title={address} data-testid="person-name" {...style}>
      {name ?? partyName(address)}
    </Text>
  );
}
