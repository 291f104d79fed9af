import { Stack, Switch } from '@mantine/core';
import { useAction } from '../../data/useAction.ts';
import { useLoaded } from '../../data/useLoaded.ts';
import { useWalletData } from '../../session/ParleyClient.tsx';
import { LoadingRows } from '../../ui/LoadingRows.tsx';
import { ProblemAlert } from '../../ui/ProblemAlert.tsx';
import { Section } from '../../ui/Section.tsx';

const kinds = [
  ['calls', 'Calls', 'Incoming calls'],
  ['messages', 'Messages', 'The sender’s address, never the content'],
  ['voicemails', 'Voicemails', 'New voicemails'],
  ['conferenceInvites', 'Invitations', 'Invitations to rooms'],
] as const;

/** Chooses the kinds of events that this wallet is notified about. */
export function PreferencesCard() {
  const { push } = useWalletData();
  const { value, isLoading, problem } = useLoaded(push.preferences);
  const change = useAction(push.setPreferences);
  const shown = change.problem ?? problem;
  return (
    <Section title="Notify me about" hint="Applies to all devices of this wallet.">
      {shown && <ProblemAlert problem={shown} onRetry={() => void push.preferences.refresh()} />}
      {value === null && isLoading && <LoadingRows what="your choices" rows={4} height={40} />}
      {value && (
        <Stack gap="md">
          {kinds.map(([kind, label, description]) => (
            <Switch
              key={kind}
              label={label}
              description={description}
              checked={value[kind]}
              disabled={change.isRunning}
              onChange={({ currentTarget }) => void change.run({ [kind]: currentTarget.checked })}
              data-testid={`prefer-${kind}`}
            />
          ))}
        </Stack>
      )}
    </Section>
  );
}
