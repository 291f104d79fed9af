import { useId, type ReactNode } from 'react';
import { Card, Row } from './Basics.tsx';
import classes from './Section.module.css';

interface Props {
  title: string;
  /** A sentence below the title. */
  hint?: ReactNode;
  /** Shown next to the title, for example buttons. */
  tools?: ReactNode;
  children: ReactNode;
  'data-testid'?: string;
}

/** A card with a heading. */
export function Section({ title, hint, tools, children, ...rest }: Props) {
  const id = useId();
  return (
    <Card role="region" aria-labelledby={id} className={classes['section']} {...rest}>
      <Row gap="0.75rem 1.5rem" className={classes['top']}>
        <div className={classes['heading']}>
          <h2 id={id}>{title}</h2>
          {hint && <p className={classes['hint']}>{hint}</p>}
        </div>
        {tools && <Row gap="0.625rem">{tools}</Row>}
      </Row>
      {children}
    </Card>
  );
}
