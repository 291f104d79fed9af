import { IconCheck, IconCopy } from '@tabler/icons-react';
import { useEffect, useId, useRef, useState, type ReactNode } from 'react';
import { useWords } from '../words/WordsContext.tsx';
import { Button } from './Button.tsx';
import classes from './Fields.module.css';

interface Props {
  label: string;
  hint?: ReactNode;
  value: string;
  'data-testid'?: string;
}

/** A text that can be copied with a button, which also selects it, so that it can be copied by keyboard on pages without https. */
export function CopyField({ label, hint, value, ...rest }: Props) {
  const { copy, copied, copyFailed } = useWords().common;
  const id = useId();
  const text = useRef<HTMLElement>(null);
  const [state, setState] = useState<'copied' | 'failed' | null>(null);
  useEffect(() => {
    if (state !== 'copied') return;
    const timer = setTimeout(() => setState(null), 2_000);
    return () => clearTimeout(timer);
  }, [state]);
  const onCopy = async () => {
    if (text.current) getSelection()?.selectAllChildren(text.current);
    try {
      await navigator.clipboard.writeText(value);
      setState('copied');
    } catch {
      setState('failed');
    }
  };
  return (
    <div className={classes['field']} role="group" aria-labelledby={id}>
      <span id={id} className={classes['label']}>
        {label}
      </span>
      {hint && <span className={classes['hint']}>{hint}</span>}
      <div className={classes['copyField']}>
        <code ref={text} {...rest}>
          {value}
        </code>
        <Button
          size="sm"
          variant="light"
          icon={state === 'copied' ? <IconCheck size={16} aria-hidden /> : <IconCopy size={16} aria-hidden />}
          onClick={() => void onCopy()}
          data-testid={rest['data-testid'] && `${rest['data-testid']}-copy`}
          aria-label={`${state === 'copied' ? copied : copy}: ${label}`}
        >
          {state === 'copied' ? copied : copy}
        </Button>
      </div>
      <span role="status" className={classes['error']}>
        {state === 'failed' && copyFailed}
      </span>
    </div>
  );
}
