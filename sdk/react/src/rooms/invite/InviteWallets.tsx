import { useState, type FormEvent } from 'react';
import { useAction } from '../../core/useAction.ts';
import { ProblemAlert } from '../../problems/ProblemAlert.tsx';
import { Row, Stack, Text } from '../../ui/Basics.tsx';
import { Button } from '../../ui/Button.tsx';
import { TextArea } from '../../ui/Fields.tsx';
import { useWords } from '../../words/WordsContext.tsx';
import { readAddresses } from './readAddresses.ts';

interface Props {
  onInvite: (addresses: string[]) => Promise<void>;
}

/** Invites wallets, which are notified, and skip locks and waiting rooms. */
export function InviteWallets({ onInvite }: Props) {
  const words = useWords();
  const [text, setText] = useState('');
  const [wasTried, setWasTried] = useState(false);
  const { run, isRunning, problem } = useAction(async (addresses: string[]) => {
    await onInvite(addresses);
    return addresses.length;
  });
  const [invited, setInvited] = useState<number | null>(null);
  const read = readAddresses(text, words);
  const invite = async (event: FormEvent) => {
    event.preventDefault();
    setWasTried(true);
    setInvited(null);
    if ('problem' in read) return;
    const count = await run(read.addresses);
    if (count === null) return;
    setInvited(count);
    // What was written while the invitations were sent is kept.
    setText((now) => (now === text ? '' : now));
    setWasTried(false);
  };
  const { rooms } = words;
  return (
    <form onSubmit={(event) => void invite(event)} noValidate>
      <Stack gap="0.875rem">
        <TextArea
          label={rooms.inviteWallets}
          hint={rooms.inviteWalletsHint}
          placeholder="0x…"
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
        <Row gap="0.75rem">
          <Button type="submit" variant="light" isLoading={isRunning} data-testid="send-invites">
            {rooms.inviteButton}
          </Button>
          <Text size="sm" isDimmed role="status" data-testid="invites-sent">
            {invited !== null && rooms.invited(invited)}
          </Text>
        </Row>
      </Stack>
    </form>
  );
}
