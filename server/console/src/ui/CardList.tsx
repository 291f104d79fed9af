import type { Icon } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { Resource } from '../data/Resource.ts';
import { useLoaded } from '../data/useLoaded.ts';
import classes from './CardList.module.css';
import { Empty } from './Empty.tsx';
import { LoadingRows } from './LoadingRows.tsx';
import { ProblemAlert } from './ProblemAlert.tsx';

interface Props<Item> {
  resource: Resource<Item[]>;
  /** What the list contains, in plain text for screen readers, for example "your rooms". */
  what: string;
  empty: { icon: Icon; title: string; text: string };
  /** Renders an item as a CardItem. */
  children: (item: Item) => ReactNode;
}

/** A list of cards, with its loading, error and empty states. */
export function CardList<Item>({ resource, what, empty, children }: Props<Item>) {
  const { value, isLoading, problem } = useLoaded(resource);
  return (
    <>
      {problem && <ProblemAlert problem={problem} onRetry={() => void resource.refresh()} />}
      {value === null && isLoading && <LoadingRows what={what} height={84} />}
      {value?.length === 0 && (
        <section className="parley-card">
          <Empty icon={empty.icon} title={empty.title}>
            {empty.text}
          </Empty>
        </section>
      )}
      {value !== null && value.length > 0 && <ul className={classes['list']}>{value.map(children)}</ul>}
    </>
  );
}
