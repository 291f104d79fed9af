import { Button, Group, Stack, Text } from '@mantine/core';
import { Avatar, CopyField } from '@parley/react';
import { IconLogout, IconUserCircle } from '@tabler/icons-react';
import { useLoaded } from '../../data/useLoaded.ts';
import { useSignedIn } from '../../session/ParleyClient.tsx';
import { isSeparate } from '../../session/remembered.ts';
import { signInKinds } from '../../session/signInKinds.ts';
import { useSignOut } from '../../session/useSignOut.tsx';
import { LoadedValue } from '../../ui/LoadedValue.tsx';
import { onDay } from '../../ui/numbers.ts';
import { Page } from '../../ui/Page.tsx';
import { Section } from '../../ui/Section.tsx';
import { ContactsCard } from './ContactsCard.tsx';
import { ProfileCard } from './ProfileCard.tsx';
import { SignInMethodsCard } from './SignInMethodsCard.tsx';
import { YourDataCard } from './YourDataCard.tsx';

/** The account's data, sign-in methods and sign-out. */
export function AccountPage() {
  const { queries, address, kind } = useSignedIn();
  const { signOut, dialog } = useSignOut();
  const account = useLoaded(queries.account);
  return (
    <Page title="Profile">
      <Section title="Your account" testId="account">
        <LoadedValue of={account} what="your account" rowHeight={230}>
          {(value) => (
            <Stack gap="md">
              <Group gap="0.875rem" wrap="nowrap">
                {address ? (
                  <Avatar address={address} size={56} />
                ) : (
                  <IconUserCircle size={48} stroke={1.25} />
                )}
                <div style={{ minWidth: 0, overflowWrap: 'anywhere' }}>
                  <Text fw={600}>{signInKinds[kind]}</Text>
                  <Text size="sm" c="dimmed">
                    Since {onDay(value.createdAt)} · {value.plan ? `plan ${value.plan}` : 'pay as you go'}
                  </Text>
                </div>
              </Group>
              {address && <CopyField label="Wallet address" value={address} data-testid="account-address" />}
              {value.email && <CopyField label="Email" value={value.email} data-testid="account-email" />}
              <CopyField
                label="Account ID"
                hint="Include this ID when you contact the operator of this server for help."
                value={value.id}
                data-testid="account-id"
              />
            </Stack>
          )}
        </LoadedValue>
      </Section>
      {address && (
        <>
          <ProfileCard />
          <ContactsCard />
        </>
      )}
      <SignInMethodsCard />
      <YourDataCard />
      <Section
        title="Sign out"
        hint={
          kind === 'throwaway'
            ? 'This wallet exists only in this tab. After you sign out, only its private key gives access to this account. Its API keys keep working: revoke them first.'
            : `Ends the session in ${isSeparate() ? 'this tab' : 'all tabs of this browser'}. Your API keys keep working.`
        }
      >
        <Button
          variant="default"
          leftSection={<IconLogout size={18} />}
          onClick={() => void signOut()}
          data-testid="account-sign-out"
        >
          Sign out
        </Button>
        {dialog}
      </Section>
    </Page>
  );
}
