import { NewGroup, Segments, useWords } from '@parley/react';
import { Button, Flex, Text, TextInput } from '@mantine/core';
import { useState, type FormEvent } from 'react';
import { useLocation } from 'wouter';
import { useCalleeLookUp } from '../../calls/useCalleeLookUp.ts';
import { BackToThreads } from '../../conversation/BackToThreads.tsx';
import classes from '../../conversation/Conversation.module.css';
import { useNavigateHere } from '../../ui/useNavigateHere.ts';

const ownAddress = 'This is your own address. Enter another person’s address.';

const kinds = [
  { value: 'chat', label: 'One person' },
  { value: 'group', label: 'Group' },
];

/** Begins a chat with one person, or a group. */
export function NewChat() {
  const navigate = useNavigateHere();
  // null until the user chooses. Afterwards, the focus stays on the choice.
  const [chosen, setChosen] = useState<string | null>(null);
  const kind = chosen ?? 'chat';
  return (
    <>
      <Flex component="header" align="center" gap="xs">
        <BackToThreads href="/chats" />
        <h2 className={classes['name']}>{kind === 'group' ? 'New group' : 'New chat'}</h2>
      </Flex>
      <div>
        <Segments
          label="Chat with"
          options={kinds}
          value={kind}
          onChange={setChosen}
          data-testid="chat-kind"
        />
      </div>
      {kind === 'group' ? (
        <NewGroup onCreated={({ id }) => navigate(`/chats/${id}`)} />
      ) : (
        <OnePerson autoFocus={chosen === null} />
      )}
    </>
  );
}

/** Asks for the wallet to chat with. */
function OnePerson({ autoFocus }: { autoFocus: boolean }) {
  const words = useWords();
  const [, navigate] = useLocation();
  const [text, setText] = useState('');
  const [refused, setRefused] = useState<string | null>(null);
  const { find, isFinding, giveUp } = useCalleeLookUp();
  const open = async (event: FormEvent) => {
    event.preventDefault();
    const found = await find(text, { ...words, callee: { ...words.callee, own: ownAddress } });
    if (!found) return;
    setRefused(found.problem ?? null);
    if (found.address) navigate(`/chats/${found.address}`);
  };
  return (
    <form className={classes['newFields']} onSubmit={(event) => void open(event)} noValidate>
      <TextInput
        label="Wallet address, ENS name or call link"
        placeholder="0x…"
        value={text}
        onChange={(event) => {
          setText(event.currentTarget.value);
          setRefused(null);
          giveUp();
        }}
        error={refused}
        autoFocus={autoFocus}
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        data-testid="peer"
      />
      <div>
        <Button type="submit" loading={isFinding} data-testid="open-chat">
          Open chat
        </Button>
      </div>
      <Text size="sm" c="dimmed">
        To write to a phone number, use SMS.
      </Text>
    </form>
  );
}
