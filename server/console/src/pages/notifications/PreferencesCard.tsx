import { ProblemAlert } from '@parley/react';
import { Stack, Switch } from '@mantine/core';
import type { NotificationPreferences } from '@parley/sdk';
import { useState } from 'react';
import { useAction } from '../../data/useAction.ts';
import { useLoaded } from '../../data/useLoaded.ts';
import { useSignedIn } from '../../session/ParleyClient.tsx';
import { LoadedValue } from '../../ui/LoadedValue.tsx';
import { Section } from '../../ui/Section.tsx';

const kinds = [
  ['calls', 'Calls', 'Incoming calls'],
  ['messages', 'Messages', 'The sender’s address, never the content'],
  ['voicemails', 'Voicemails', 'New voicemails'],
  ['conferenceInvites', 'Invitations', 'Invitations to rooms'],
] as const;

/** Chooses the kinds of events that this wallet is notified about. */
export function PreferencesCard() {
  const { client, queries } = useSignedIn();
  const preferences = useLoaded(queries.preferences);
  const [changed, setChanged] = useState<keyof NotificationPreferences | null>(null);
  const change = useAction(
    (changed: NotificationPreferences) => client.notifications.setPreferences(changed),
    { refreshes: ['preferences'] },
  );
  return (
    <Section title="Notify me about" hint="Applies to all devices of this wallet.">
      {change.problem && <ProblemAlert problem={change.problem} />}
      <LoadedValue of={preferences} what="your choices" rows={4} rowHeight={40}>
        {(value) => (
          <Stack gap="md">
            {kinds.map(([kind, label, description]) => (
              <Switch
                key={kind}
                label={label}
                description={description}
                checked={value[kind]}
                // Except the one that the user has changed, because a disabled switch would lose the focus.
                disabled={change.isRunning && kind !== changed}
                aria-busy={change.isRunning && kind === changed}
                onChange={({ currentTarget }) => {
                  if (change.isRunning) return;
                  setChanged(kind);
                  void change.run({ [kind]: currentTarget.checked });
                }}
                data-testid={`prefer-${kind}`}
              />
            ))}
          </Stack>
        )}
      </LoadedValue>
    </Section>
  );
}
