import type { ReactNode } from 'react';
import classes from './Page.module.css';

/** A page with a heading and several cards below each other. */
export function Page({ title, hint, children }: { title: string; hint?: string; children: ReactNode }) {
  return (
    <div className={classes['page']}>
      <header>
        <h1 className={classes['title']}>{title}</h1>
        {hint && <p className={classes['hint']}>{hint}</p>}
      </header>
      {children}
    </div>
  );
}
