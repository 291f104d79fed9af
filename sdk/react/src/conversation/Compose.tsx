import { IconSend2 } from '@tabler/icons-react';
import { useRef, useState, type FormEvent } from 'react';
import { explain, type Problem } from '../problems/explain.ts';
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
  const { conversation: words, problems } = useWords();
  const [text, setText] = useState(() => drafts.get(onSay) ?? '');
  const write = (next: string) => {
    drafts.set(onSay, next);
    setText(next);
  };
  const [problem, setProblem] = useState<Problem | null>(null);
  /** Texts are sent one after the other, so that they arrive in their order. */
  const sent = useRef<Promise<void>>(Promise.resolve());
  const send = (event: FormEvent) => {
    event.preventDefault();
    const content = text.trim();
    if (content === '') return;
    write('');
    setProblem(null);
    sent.current = sent.current
      .then(() => onSay(content))
      .catch((error: unknown) => {
        // Puts the text back, before what the user has typed since, so that it can be sent again.
        write([content, drafts.get(onSay)].filter(Boolean).join('\n'));
        setProblem(explain(error, problems));
      });
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
          <IconSend2 size={18} aria-hidden data-parley-pointing />
        </IconButton>
      </div>
    </form>
  );
}
