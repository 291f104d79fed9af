import { ProblemAlert } from '@parley/react';
import { Button, Flex, Group, Text, Textarea } from '@mantine/core';
import type { ConferenceRoom } from '@parley/sdk';
import { IconShare2 } from '@tabler/icons-react';
import { useState, type FormEvent } from 'react';
import { useAction } from '../data/useAction.ts';
import { CopyField } from '../ui/CopyField.tsx';
import { counted } from '../ui/numbers.ts';
import { readAddresses } from './readAddresses.ts';

interface Props {
  room: ConferenceRoom;
  isHost: boolean;
  onInvite: (addresses: string[]) => Promise<void>;
}

const canShare = 'share' in navigator;

/** The invitation link, and a form to invite wallets. Invited wallets are notified, and they skip locks and waiting rooms. */
export function InvitePeople({ room, isHost, onInvite }: Props) {
  return (
    <Flex component="section" direction="column" gap="0.875rem" aria-label="Invite people">
      <CopyField label="Invitation link" description={hintOf(room)} value={room.url} testId="room-link" />
      {canShare && (
        <Button
          variant="default"
          leftSection={<IconShare2 size={18} />}
          onClick={() => void navigator.share({ title: room.name, url: room.url }).catch(() => undefined)}
        >
          Share link
        </Button>
      )}
      {isHost && <InviteWallets onInvite={onInvite} />}
    </Flex>
  );
}

function hintOf({ settings, gate }: ConferenceRoom): string {
  if (settings.locked) return 'The room is locked. Only people you invite can join.';
  if (gate) return 'Everyone with the link whose wallet meets the room’s conditions can join.';
  if (settings.waitingRoom) return 'People with the link wait until a host lets them in.';
  return 'Everyone with the link can join.';
}

function InviteWallets({ onInvite }: Pick<Props, 'onInvite'>) {
  const [text, setText] = useState('');
  const [wasTried, setWasTried] = useState(false);
  const { run, isRunning, problem } = useAction(async (addresses: string[]) => {
    await onInvite(addresses);
    return addresses.length;
  });
  const [invited, setInvited] = useState<number | null>(null);
  const read = readAddresses(text);
  const invite = async (event: FormEvent) => {
    event.preventDefault();
    setWasTried(true);
    setInvited(null);
    if ('problem' in read) return;
    const count = await run(read.addresses);
    if (count === null) return;
    setInvited(count);
    setText('');
    setWasTried(false);
  };
  return (
    <Flex
      component="form"
      direction="column"
      gap="0.875rem"
      onSubmit={(event) => void invite(event)}
      noValidate
    >
      <Textarea
        label="Invite wallets"
        description="One or more addresses. They are notified immediately and skip the waiting room."
        placeholder="0x…"
        autosize
        minRows={1}
        maxRows={5}
        value={text}
        onChange={({ currentTarget }) => {
          setText(currentTarget.value);
          setWasTried(false);
        }}
        error={wasTried && 'problem' in read && read.problem}
        spellCheck={false}
        autoComplete="off"
        data-testid="invite-wallets"
      />
      {problem && <ProblemAlert problem={problem} />}
      <Group gap="sm">
        <Button type="submit" variant="light" loading={isRunning} data-testid="send-invites">
          Invite
        </Button>
        <Text size="sm" c="dimmed" role="status" data-testid="invites-sent">
          {invited !== null && `${counted(invited, 'wallet')} invited.`}
        </Text>
      </Group>
    </Flex>
  );
}
