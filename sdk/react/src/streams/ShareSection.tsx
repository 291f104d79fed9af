import { IconExternalLink, IconLink } from '@tabler/icons-react';
import { useState } from 'react';
import { atMoment } from '../core/format.ts';
import { useAction } from '../core/useAction.ts';
import { ProblemAlert } from '../problems/ProblemAlert.tsx';
import { Row, Stack, Text } from '../ui/Basics.tsx';
import { Button, ButtonLink } from '../ui/Button.tsx';
import { CopyField } from '../ui/CopyField.tsx';
import { Section } from '../ui/Section.tsx';
import { useWords } from '../words/WordsContext.tsx';
import { useStudio } from './useStudio.ts';

/** The links for viewers. */
export function ShareSection() {
  const { state } = useStudio();
  const words = useWords().streams;
  const { stream } = state;
  if (!stream) return null;
  const needsToken = !stream.isPublic && !stream.gate;
  return (
    <Section title={words.forViewers}>
      {needsToken ? (
        // Another stream key makes the link invalid.
        <PrivateLink key={stream.streamKey} />
      ) : (
        <WatchLink
          label={words.link}
          hint={stream.gate ? words.openToHolders : words.openToAll}
          url={stream.watchUrl}
        />
      )}
    </Section>
  );
}

function WatchLink({ label, hint, url }: { label: string; hint: string; url: string }) {
  const { openPage } = useWords().streams;
  return (
    <Stack>
      <CopyField label={label} hint={hint} value={url} data-testid="watch-link" />
      <Row>
        <ButtonLink
          href={url}
          target="_blank"
          rel="noopener"
          variant="outline"
          size="sm"
          icon={<IconExternalLink size={16} aria-hidden />}
        >
          {openPage}
        </ButtonLink>
      </Row>
    </Stack>
  );
}

function PrivateLink() {
  const { controller } = useStudio();
  const words = useWords().streams;
  const [link, setLink] = useState<{ url: string; expiresAt: Date } | null>(null);
  const { run, isRunning, problem } = useAction(async () => setLink(await controller.makeLink()));
  if (link) {
    const hint = words.privateUntil(atMoment(link.expiresAt));
    return <WatchLink label={words.privateLink} hint={hint} url={link.url} />;
  }
  return (
    <Stack>
      {problem && <ProblemAlert problem={problem} />}
      <Text size="sm" isDimmed>
        {words.privateAdvice}
      </Text>
      <Row>
        <Button
          variant="light"
          icon={<IconLink size={18} aria-hidden />}
          isLoading={isRunning}
          onClick={() => void run()}
          data-testid="make-link"
        >
          {words.createLink}
        </Button>
      </Row>
    </Stack>
  );
}
