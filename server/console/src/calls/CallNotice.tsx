import { Identicon, ProblemAlert } from '@parley/react';
import { shortAddress } from '@parley/sdk';
import { Box, Button, CloseButton, Flex, Group, Text } from '@mantine/core';
import { IconMicrophone, IconPhone, IconVideo } from '@tabler/icons-react';
import { useCalls, useSignedIn } from '../session/ParleyClient.tsx';
import type { CallSummary } from './callState.ts';
import { describeSummary } from './describeSummary.ts';

/** Shows how the last call ended, above the current page. */
export function CallNotice() {
  const { calls, controller } = useCalls();
  const { summary, problem } = calls;
  // An invalid address is not shown here, because the form reports it next to the field.
  if (problem && problem.problem.code !== 'INVALID_ADDRESS') {
    const { wanted } = problem;
    return (
      <Box mb="lg">
        <ProblemAlert
          problem={problem.problem}
          onRetry={wanted ? () => void controller.start(wanted.to, wanted.type) : undefined}
          onClose={() => controller.dismiss()}
        />
      </Box>
    );
  }
  return summary && <Summary summary={summary} />;
}

function Summary({ summary }: { summary: CallSummary }) {
  const { controller } = useCalls();
  const { wallet } = useSignedIn();
  const { peer, type, outcome, direction } = summary;
  // After an unanswered call, the user can leave a voicemail.
  const canLeave = direction === 'outgoing' && outcome !== 'ended';
  const { title, detail } = describeSummary(summary);
  return (
    <Flex
      className="parley-card"
      component="section"
      wrap="wrap"
      align="center"
      gap="0.75rem 0.875rem"
      mb="lg"
      role="status"
      data-testid="call-summary"
      data-outcome={outcome}
    >
      <Identicon address={peer} size={44} />
      <Box flex={1} miw="9rem">
        <Text fw={600}>{title}</Text>
        <Text size="sm" c="dimmed">
          {shortAddress(peer)}
          {detail && ` · ${detail}`}
        </Text>
      </Box>
      <Group gap="xs" ml="auto">
        {canLeave && (
          <Button
            leftSection={<IconMicrophone size={18} />}
            onClick={() => wallet?.leavingVoicemailFor.set(peer)}
            data-testid="offer-voicemail"
          >
            Leave a voicemail
          </Button>
        )}
        <Button
          variant="light"
          leftSection={type === 'video' ? <IconVideo size={18} /> : <IconPhone size={18} />}
          onClick={() => void controller.start(peer, type)}
          data-testid="summary-call-again"
        >
          Call again
        </Button>
        <CloseButton size="lg" aria-label="Dismiss" onClick={() => controller.dismiss()} />
      </Group>
    </Flex>
  );
}
