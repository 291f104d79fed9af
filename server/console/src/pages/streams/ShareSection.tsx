import { ProblemAlert } from '@parley/react';
import { Button, Stack, Text } from '@mantine/core';
import { IconExternalLink, IconLink } from '@tabler/icons-react';
import { useState } from 'react';
import { useAction } from '../../data/useAction.ts';
import { useStudio } from '../../streams/useStudio.ts';
import { CopyField } from '../../ui/CopyField.tsx';
import { Section } from '../../ui/Section.tsx';
import { atMoment } from '../../ui/numbers.ts';

/** The links for viewers. */
export function ShareSection() {
  const { state } = useStudio();
  const { stream } = state;
  if (!stream) return null;
  const needsToken = !stream.isPublic && !stream.gate;
  return (
    <Section title="For viewers">
      {needsToken ? (
        <PrivateLink />
      ) : (
        <Stack gap="1.125rem">
          <CopyField
            label="Link"
            description={
              stream.gate
                ? 'Opens for people who sign in with a wallet that meets your conditions.'
                : 'Opens for everyone, with or without a wallet.'
            }
            value={stream.watchUrl}
            testId="watch-link"
          />
          <OpenLink url={stream.watchUrl} />
        </Stack>
      )}
    </Section>
  );
}

function OpenLink({ url }: { url: string }) {
  return (
    <div>
      <Button
        component="a"
        href={url}
        target="_blank"
        rel="noopener"
        variant="default"
        size="compact-md"
        fz="sm"
        leftSection={<IconExternalLink size={16} />}
      >
        Open viewer page
      </Button>
    </div>
  );
}

function PrivateLink() {
  const { controller } = useStudio();
  const [link, setLink] = useState<{ url: string; expiresAt: Date } | null>(null);
  const { run, isRunning, problem } = useAction(async () => setLink(await controller.makeLink()));
  return (
    <Stack gap="1.125rem">
      {problem && <ProblemAlert problem={problem} />}
      {link ? (
        <>
          <CopyField
            label="Private link"
            description={`Opens for everyone who has it until ${atMoment(link.expiresAt)}, or until you reset the stream key.`}
            value={link.url}
            testId="watch-link"
          />
          <OpenLink url={link.url} />
        </>
      ) : (
        <>
          <Text size="sm" c="dimmed">
            This stream is private. A link opens it for one day for everyone who has it. People who are
            already watching can continue.
          </Text>
          <div>
            <Button
              variant="light"
              leftSection={<IconLink size={18} />}
              loading={isRunning}
              onClick={() => void run()}
              data-testid="make-link"
            >
              Create link
            </Button>
          </div>
        </>
      )}
    </Stack>
  );
}
