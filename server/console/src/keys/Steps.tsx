import { IconCheck } from '@tabler/icons-react';
import { useEffect, useRef, type ReactNode } from 'react';
import classes from './Steps.module.css';

interface Props {
  steps: { title: string; content: ReactNode }[];
  /** The index of the current step. Those before it are done. */
  current: number;
}

/** A list of steps. Only the current one shows its content. */
export function Steps({ steps, current }: Props) {
  const heading = useRef<HTMLHeadingElement>(null);
  const shown = useRef(current);
  useEffect(() => {
    // The focused button is gone, so keyboard and screen-reader focus moves to the new step.
    if (shown.current !== current) heading.current?.focus();
    shown.current = current;
  }, [current]);
  return (
    <ol>
      {steps.map(({ title, content }, index) => {
        const state = index < current ? 'done' : index === current ? 'current' : 'ahead';
        return (
          <li
            key={title}
            className={classes['step']}
            data-state={state}
            data-testid={`step-${index + 1}`}
            aria-current={state === 'current' ? 'step' : undefined}
          >
            <span className={classes['number']} aria-hidden>
              {state === 'done' ? <IconCheck size={16} stroke={2.5} /> : index + 1}
            </span>
            <div className={classes['body']}>
              <h3 className={classes['title']} {...(state === 'current' && { ref: heading, tabIndex: -1 })}>
                {title}
              </h3>
              {state === 'current' && <div className={classes['content']}>{content}</div>}
            </div>
          </li>
        );
      })}
    </ol>
  );
}
