import { MessageField, ProblemAlert } from '@parley/react';
import { Button, Flex, Group } from '@mantine/core';
import { IconSend2 } from '@tabler/icons-react';
import type { NewThreadMessage } from '@parley/sdk';
import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState, type FormEvent } from 'react';
import { refresh } from '../../data/refresh.ts';
import { useLoaded } from '../../data/useLoaded.ts';
import { useSpend } from '../../data/useSpend.ts';
import { useSignedIn } from '../../session/ParleyClient.tsx';
import classes from '../../conversation/Conversation.module.css';
import { longestText, TextCost } from './TextCost.tsx';

interface Props {
  /** null until a valid number is entered. */
  to: string | null;
  /** The number to send from; without it, a shared number is used. */
  from?: string | undefined;
  /** Called when a text was sent, unless the user has typed another one meanwhile. */
  onSent?: (from: string) => void;
  /** Called before sending. Shows the user what is missing. @returns whether the text can be sent */
  check?: () => boolean;
  /** Whether to focus the text field. */
  autoFocus?: boolean;
}

/** The field to write a text. Shows the text's segments and price before it is sent. */
export function Composer({ to, from, onSent, check = () => true, autoFocus = false }: Props) {
  const { client, queries } = useSignedIn();
  const queryClient = useQueryClient();
  const [text, setText] = useState('');
  /** The text of this moment. `text` is that of a rendering, which may be older when the text has been sent. */
  const latest = useRef('');
  const write = (next: string) => {
    latest.current = next;
    setText(next);
  };
  const { value: rate } = useLoaded(queries.textRate(to));
  const { run, isRunning, problem } = useSpend((options, message: NewThreadMessage) =>
    client.messaging.send(message, options),
  );
  const canSend = text.trim() !== '' && rate?.supported !== false;
  const send = async (event: FormEvent) => {
    event.preventDefault();
    if (!check() || !canSend || !to) return;
    const sent = await run({ to, message: text, ...(from && { from }) });
    if (!sent) return;
    // Not part of the action, because reading all loaded texts again may take long.
    void refresh(queryClient, 'threads', 'texts');
    const now = latest.current;
    const rest = (now.startsWith(text) ? now.slice(text.length) : now).trimStart();
    write(rest);
    if (rest === '') onSent?.(sent.from);
  };
  return (
    <Flex component="form" direction="column" gap={8} onSubmit={(event) => void send(event)} noValidate>
      {problem && <ProblemAlert problem={problem} />}
      <Group gap="xs" align="flex-end" wrap="nowrap" className={classes['compose'] ?? ''}>
        <MessageField
          value={text}
          onChange={write}
          longest={longestText}
          autoFocus={autoFocus}
          testId="compose"
        />
        <Button
          type="submit"
          loading={isRunning}
          disabled={!canSend}
          leftSection={<IconSend2 size={18} />}
          title="Ctrl+Enter (⌘Enter) sends the message"
          data-testid="send"
        >
          Send
        </Button>
      </Group>
      <TextCost text={text} rate={rate} />
    </Flex>
  );
}
