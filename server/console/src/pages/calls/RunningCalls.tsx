import { Avatar, type RunningCall, useCall, usePartyName } from '@parley/react';
import { Box, Button, Group, Text } from '@mantine/core';
import { IconPhoneOff, IconPhoneIncoming, IconVideoOff } from '@tabler/icons-react';
import classes from './CallsPage.module.css';

/** The wallet's active calls whose media is not on this page: those started before a reload, or on another device. */
export function RunningCalls() {
  const { running } = useCall();
  return running.map((call) => <Running key={call.id} call={call} />);
}

function Running({ call }: { call: RunningCall }) {
  const { rejoin, hangUpElsewhere } = useCall();
  const name = usePartyName(call.peer);
  return (
    <section
      className={`parley-card ${classes['running']}`}
      role="status"
      aria-label="Active call"
      data-testid="running-call"
    >
      <Avatar address={call.peer} size={40} />
      <Box flex="1 1 12rem">
        <Text fw={600}>You are in a call</Text>
        <Text size="sm" c="dimmed">
          With {name}. The call continues without this page.
        </Text>
      </Box>
      <Group gap="xs">
        <Button
          leftSection={<IconPhoneIncoming size={18} />}
          onClick={() => void rejoin(call)}
          data-testid="rejoin"
        >
          Rejoin
        </Button>
        <Button
          variant="light"
          color="brick"
          leftSection={<IconPhoneOff size={18} />}
          onClick={() => void hangUpElsewhere(call)}
          data-testid="hang-up-running"
        >
          Hang up
        </Button>
        {call.type === 'video' && (
          <Button
            px="xs"
            variant="subtle"
            color="gray"
            c="dimmed"
            fw={500}
            leftSection={<IconVideoOff size={18} />}
            onClick={() => void rejoin(call, { camera: false })}
            data-testid="rejoin-audio"
          >
            Rejoin without camera
          </Button>
        )}
      </Group>
    </section>
  );
}
