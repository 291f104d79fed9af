import { IconCheck, IconCopy } from '@tabler/icons-react';
import { useEffect, useId, useRef, useState, type ReactNode } from 'react';
import { useWords } from '../words/WordsContext.tsx';
import { Button } from './Button.tsx';
import { copyText } from './copyText.ts';
import classes from './Fields.module.css';

interface Props {
  label: string;
  hint?: ReactNode;
  value: string;
  /** Whether the button has the focus at first. @default false */
  autoFocus?: boolean;
  /** Names the value; its button has the suffix `-copy`. */
  'data-testid'?: string;
}

/** A value with a button to copy it. The button also selects the value, so that it can be copied by keyboard on pages without https. */
export function CopyField({ label, hint, value, autoFocus = false, 'data-testid': testId }: Props) {
  const words = useWords().common;
  const id = useId();
  const text = useRef<HTMLElement>(null);
  const [state, setState] = useState<'idle' | 'copied' | 'failed'>('idle');
  useEffect(() => {
    if (state !== 'copied') return;
    const timer = setTimeout(() => setState('idle'), 2_000);
    return () => clearTimeout(timer);
  }, [state]);
  const copy = async () => {
    if (text.current) getSelection()?.selectAllChildren(text.current);
    try {
      await copyText(value);
      setState('copied');
    } catch {
      setState('failed');
    }
  };
  const isCopied = state === 'copied';
  return (
    <div className={classes['field']} role="group" aria-labelledby={id}>
      <div className={classes['copyTop']}>
        <span>
          <span id={id} className={classes['label']}>
            {label}
          </span>
          {hint && <span className={classes['copyHint']}>{hint}</span>}
        </span>
        <Button
          size="sm"
          variant="light"
          icon={isCopied ? <IconCheck size={16} aria-hidden /> : <IconCopy size={16} aria-hidden />}
          aria-label={`${isCopied ? words.copied : words.copy}: ${label}`}
          onClick={() => void copy()}
          autoFocus={autoFocus}
          data-testid={testId && `${testId}-copy`}
        >
          {isCopied ? words.copied : words.copy}
        </Button>
      </div>
      <code ref={text} className={classes['copied']} data-testid={testId}>
        {value}
      </code>
      <span role="status" className={classes['error']}>
        {state === 'failed' && words.copyFailed}
      </span>
    </div>
  );
}
