import { Button, Menu, Text } from '@mantine/core';
import { IconLogout } from '@tabler/icons-react';
import { useSessionController, useSignedIn } from '../session/ParleyClient.tsx';
import { Identicon } from '../ui/Identicon.tsx';
import { shortAddress } from '../ui/format.ts';

/** Who is signed in, and the way out. */
export function WalletMenu() {
  const { address, kind } = useSignedIn();
  const session = useSessionController();
  return (
    <Menu position="bottom-end" width={260} shadow="md">
      <Menu.Target>
        <Button
          variant="default"
          px={10}
          h={42}
          fw={500}
          ff="monospace"
          leftSection={<Identicon address={address} size={22} />}
          aria-label={`Signed in as ${shortAddress(address)}: menu`}
          data-testid="wallet-menu"
        >
          {shortAddress(address)}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{kind === 'throwaway' ? 'Throw-away wallet' : 'Browser wallet'}</Menu.Label>
        <Text size="xs" px="sm" pb="xs" c="dimmed">
          {kind === 'throwaway'
            ? 'It lives in this tab. Sign out, or close the tab, and it is gone for good.'
            : 'Signed in with your own wallet, in this tab.'}
        </Text>
        <Menu.Item
          leftSection={<IconLogout size={18} />}
          onClick={() => void session.signOut()}
          data-testid="sign-out"
        >
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
