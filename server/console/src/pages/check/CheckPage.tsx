import type { MediaTestReport } from '@parley/sdk';
import { Button, Group } from '@mantine/core';
import { IconCheck, IconCopy, IconPlayerPlay } from '@tabler/icons-react';
import { ProblemAlert } from '@parley/react';
import { usePageTitle } from '../../shell/usePageTitle.ts';
import { VisitorFrame } from '../../shell/VisitorFrame.tsx';
import { explain } from '../../ui/explain.ts';
import { Page } from '../../ui/Page.tsx';
import { Section } from '../../ui/Section.tsx';
import { useCopy } from '../../ui/useCopy.ts';
import { FindingList } from './FindingList.tsx';
import { useMediaTest } from './useMediaTest.ts';
import classes from './CheckPage.module.css';

const summaries: Record<MediaTestReport['level'], string> = {
  ok: 'Everything works. You can call from here.',
  warning: 'You can call from here, with limits.',
  error: 'Something keeps you from calling. The list says what to change.',
};

/** The connection test, with or without a wallet. */
export function CheckPage() {
  usePageTitle('Connection test');
  const { isRunning, running, findings, report, error, start } = useMediaTest();
  const problem = error === null ? null : explain(error);
  return (
    <VisitorFrame>
      <div className={classes['page']}>
        <Page
          title="Connection test"
          hint="Tests your microphone, your camera and the ways to the server. It takes about 20 seconds. Your browser may ask for permission. Nobody sees or hears you."
        >
          <Group gap="sm">
            <Button
              size="md"
              leftSection={<IconPlayerPlay size={18} />}
              loading={isRunning}
              onClick={() => void start()}
              data-testid="start-test"
            >
              {report || problem ? 'Test again' : 'Start the test'}
            </Button>
            {report && <CopyReport text={report.text} />}
          </Group>
          {problem && <ProblemAlert problem={problem} />}
          <p className={classes['summary']} role="status" data-testid="test-summary">
            {report ? summaries[report.level] : isRunning ? 'Testing…' : ''}
          </p>
          {(findings.length > 0 || running.length > 0) && (
            <Section title="Findings" testId="findings">
              <FindingList findings={findings} running={running} />
            </Section>
          )}
        </Page>
      </div>
    </VisitorFrame>
  );
}

function CopyReport({ text }: { text: string }) {
  const { isCopied, copy } = useCopy(text);
  return (
    <Button
      size="md"
      variant="default"
      leftSection={isCopied ? <IconCheck size={18} /> : <IconCopy size={18} />}
      onClick={copy}
      data-testid="copy-report"
    >
      {isCopied ? 'Copied' : 'Copy the report'}
    </Button>
  );
}
