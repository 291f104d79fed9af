import { IconCheck } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import classes from './Steps.module.css';

interface Props {
  steps: { title: string; content: ReactNode }[];
  /** Those before it are done, those behind it are still to come. */
  current: number;
}

/** All of them in sight, with what is to be done under the one it is at. */
export function Steps({ steps, current }: Props) {
  return (
    <ol className={classes['steps']}>
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
              <h3 className={classes['title']}>{title}</h3>
              {state === 'current' && <div className={classes['content']}>{content}</div>}
            </div>
          </li>
        );
      })}
    </ol>
  );
}
