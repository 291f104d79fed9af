import type { ReactNode } from 'react';

interface Props {
  name: string;
  testId?: string;
  children: ReactNode;
}

/** A name and its value, for a `dl`. */
export function Fact({ name, testId, children }: Props) {
  return (
    <div>
      <dt>{name}</dt>
      <dd data-testid={testId}>{children}</dd>
    </div>
  );
}
