import { CopyField } from '@parley/react';
import { Stack } from '@mantine/core';
import { useLoaded } from '../../data/useLoaded.ts';
import { useSignedIn } from '../../session/ParleyClient.tsx';
import { LoadedValue } from '../../ui/LoadedValue.tsx';
import { Section } from '../../ui/Section.tsx';

/** The publishable key, which identifies an app in public code, with the line of code that uses it. */
export function PublishableKeyCard() {
  const { publishableKey } = useSignedIn().queries;
  return (
    <Section
      title="Publishable key"
      hint="Identifies your app in public code, such as a web page or a mobile app. It grants no access and spends no credits; each user signs in with their own wallet."
      testId="publishable"
    >
      <LoadedValue of={useLoaded(publishableKey)} what="your publishable key" rowHeight={150}>
        {({ publishableKey: key }) => (
          <Stack>
            <CopyField label="Key" value={key} data-testid="publishable-key" />
            <CopyField label="In your app" value={`const client = new Parley({ apiKey: '${key}' });`} />
          </Stack>
        )}
      </LoadedValue>
    </Section>
  );
}
