import { Avatar, partyName, usePerson } from '@parley/react';
import { Button, Menu, Text } from '@mantine/core';
import { IconExternalLink, IconLogout, IconPlugConnected, IconUser } from '@tabler/icons-react';
import { Link } from 'wouter';
import { useLoaded } from '../data/useLoaded.ts';
import { useSignedIn } from '../session/ParleyClient.tsx';
import { isSeparate } from '../session/remembered.ts';
import { signInKinds } from '../session/signInKinds.ts';
import { useSignOut } from '../session/useSignOut.tsx';
import { httpApi, sdkReference } from './pages.ts';
import { pagePaths } from './paths.ts';

/** A menu with the signed-in account and a button to sign out. */
export function WalletMenu() {
  const { address, queries, kind } = useSignedIn();
  const { value } = useLoaded(queries.account, { isRead: address === null });
  const known = usePerson(address ?? '')?.name;
  const name = known ?? (address ? partyName(address) : (value?.email ?? 'Account'));
  const { signOut, dialog } = useSignOut();
  const where = isSeparate() ? 'in this tab' : 'in all tabs of this browser, until you sign out';
  return (
    <>
      {dialog}
      <Menu position="bottom-end" width={260} shadow="md">
        <Menu.Target>
          <Button
            variant="default"
            px={10}
            h={42}
            fw={500}
            ff={address && !known ? 'monospace' : 'text'}
            maw={220}
            styles={{ label: { overflow: 'hidden', textOverflow: 'ellipsis', whiteSpace: 'nowrap' } }}
            leftSection={address ? <Avatar address={address} size={22} /> : <IconUser size={20} />}
            aria-label={`Account menu, signed in as ${name}`}
            data-testid="wallet-menu"
          >
            {name}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Label>{signInKinds[kind]}</Menu.Label>
          <Text size="xs" px="sm" pb="xs" c="dimmed">
            {kind === 'throwaway'
              ? 'This wallet exists only in this tab. It is lost when you sign out or close the tab.'
              : `Signed in with ${kind === 'provider' ? 'the identity provider' : 'your own wallet'} ${where}.`}
          </Text>
          <Menu.Divider />
          {[sdkReference, httpApi].map(({ label, icon: Icon, href }) => (
            <Menu.Item
              key={href}
              component="a"
              href={href}
              target="_blank"
              leftSection={<Icon size={18} />}
              rightSection={<IconExternalLink size={14} role="img" aria-label="opens a new tab" />}
            >
              {label}
            </Menu.Item>
          ))}
          <Menu.Item
            component={Link}
            href={pagePaths.check[0]}
            leftSection={<IconPlugConnected size={18} />}
            data-testid="to-check"
          >
            Connection test
          </Menu.Item>
          <Menu.Divider />
          <Menu.Item
            leftSection={<IconLogout size={18} />}
            onClick={() => void signOut()}
            data-testid="sign-out"
          >
            Sign out
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </>
  );
}
