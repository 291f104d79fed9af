import { useId, type ReactNode } from 'react';
import classes from './Section.module.css';

interface Props {
  title: string;
  /** A sentence below the title. */
  hint?: ReactNode;
  /** Shown next to the title, for example filters or a button to add an item. */
  tools?: ReactNode;
  testId?: string;
  children: ReactNode;
}

/** A card with a heading. */
export function Section({ title, hint, tools, testId, children }: Props) {
  const id = useId();
  return (
    <section className={`parley-card ${classes['section']}`} aria-labelledby={id} data-testid={testId}>
      <div className={classes['head']}>
        <div className={classes['text']}>
          <h2 className={classes['title']} id={id}>
            {title}
          </h2>
          {hint && <p className={classes['hint']}>{hint}</p>}
        </div>
        {tools && <div className={classes['tools']}>{tools}</div>}
      </div>
      {children}
    </section>
  );
}
