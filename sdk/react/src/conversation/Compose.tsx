import { IconSend2 } from '@tabler/icons-react';
import { useState, type FormEvent } from 'react';
import { useAction } from '../core/useAction.ts';
import { IconButton } from '../ui/Button.tsx';
import { useWords } from '../words/WordsContext.tsx';
import classes from './Conversation.module.css';
import { MessageField } from './MessageField.tsx';

interface Props {
  /** Sends a text. Has to be the same function as long as the chat exists. */
  onSay: (content: string) => Promise<void>;
  label: string;
  /** The maximum length, in characters. */
  longest: number;
  testId: string;
}

/** The unsent text of each chat, by the function that sends to it. Its panel may be closed and opened again. */
const drafts = new WeakMap<Props['onSay'], string>();

/** A text field that grows with its content, and a button. */
export function Compose({ onSay, label, longest, testId }: Props) {
  const words = useWords().conversation;
  const [text, setText] = useState(() => drafts.get(onSay) ?? '');
  const write = (next: string) => {
    drafts.set(onSay, next);
    setText(next);
  };
  const { run, problem } = useAction(async (content: string) => {
    write('');
    try {
      await onSay(content);
    } catch (error) {
      // Puts the text back, so that it can be sent again, unless the user has typed something else.
      if (!drafts.get(onSay)) write(content);
      throw error;
    }
  });
  const send = (event: FormEvent) => {
    event.preventDefault();
    const content = text.trim();
    if (content !== '') void run(content);
  };
  return (
    <form className={classes['form']} onSubmit={send} noValidate>
      {problem && (
        <p className={classes['problem']} role="alert">
          {problem.title}: {problem.advice}
        </p>
      )}
      <div className={classes['compose']}>
        <MessageField
          label={label}
          placeholder={words.messageEveryone}
          value={text}
          onChange={write}
          longest={longest}
          isSentByEnter
          testId={`${testId}-compose`}
        />
        <IconButton
          type="submit"
          variant="filled"
          className={classes['send']}
          label={words.send}
          disabled={text.trim() === ''}
          data-testid={`${testId}-send`}
        >
          <IconSend2 size={18} aria-hidden />
        </IconButton>
      </div>
    </form>
  );
}
