import { Skeleton, Stack } from '@mantine/core';
import { useLoaded } from '../../data/useLoaded.ts';
import { useSignedIn } from '../../session/ParleyClient.tsx';
import { CopyField } from '../../ui/CopyField.tsx';
import { ProblemAlert } from '../../ui/ProblemAlert.tsx';
import { Section } from '../../ui/Section.tsx';

/** The publishable key, which identifies an app in public code, with the line of code that uses it. */
export function PublishableKeyCard() {
  const { publishableKey } = useSignedIn().account;
  const { value, isLoading, problem } = useLoaded(publishableKey);
  return (
    <Section
      title="Publishable key"
      hint="Identifies your app in public code, such as a web page or a mobile app. It grants no access and spends no credits; each user signs in with their own wallet."
      testId="publishable"
    >
      {problem && <ProblemAlert problem={problem} onRetry={() => void publishableKey.refresh()} />}
      {!value && isLoading && <Skeleton height={150} radius="md" aria-label="Loading your publishable key" />}
      {value && (
        <Stack>
          <CopyField label="Key" value={value.publishableKey} testId="publishable-key" />
          <CopyField
            label="In your app"
            value={`const client = new Parley({ apiKey: '${value.publishableKey}' });`}
          />
        </Stack>
      )}
    </Section>
  );
}
