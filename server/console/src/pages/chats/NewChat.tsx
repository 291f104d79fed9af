import { Button, Flex, Text, TextInput } from '@mantine/core';
import { useState, type FormEvent } from 'react';
import { useLocation } from 'wouter';
import { parseCallee } from '../../calls/parseCallee.ts';
import { BackToThreads } from '../../conversation/BackToThreads.tsx';
import classes from '../../conversation/Conversation.module.css';
import { useOwnAddress } from '../../session/useOwnAddress.ts';

/** Asks for the wallet to chat with. */
export function NewChat() {
  const own = useOwnAddress();
  const [, navigate] = useLocation();
  const [text, setText] = useState('');
  const [wasTried, setWasTried] = useState(false);
  const { address, problem } = readPeer(text, own);
  const open = (event: FormEvent) => {
    event.preventDefault();
    setWasTried(true);
    if (address) navigate(`/chats/${address}`);
  };
  return (
    <>
      <Flex component="header" align="center" gap="xs">
        <BackToThreads href="/chats" />
        <h2 className={classes['name']}>New chat</h2>
      </Flex>
      <form className={classes['newFields']} onSubmit={open} noValidate>
        <TextInput
          label="Wallet address or call link"
          placeholder="0x…"
          value={text}
          onChange={(event) => {
            setText(event.currentTarget.value);
            setWasTried(false);
          }}
          error={wasTried && problem}
          autoFocus
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          data-testid="peer"
        />
        <div>
          <Button type="submit" data-testid="open-chat">
            Open chat
          </Button>
        </div>
        <Text size="sm" c="dimmed">
          To write to a phone number, use SMS.
        </Text>
      </form>
    </>
  );
}

function readPeer(text: string, own: string): { address?: string; problem?: string } {
  const { address, problem } = parseCallee(text, { origin: location.origin, address: null });
  if (address === undefined) return { problem };
  if (address === own) return { problem: 'This is your own address. Enter another person’s address.' };
  return { address };
}
