import { ActionIcon } from '@mantine/core';
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react';
import classes from './InRoom.module.css';

interface Props {
  page: number;
  pages: number;
  onPage: (page: number) => void;
}

/** Switches between the pages of a large room. */
export function Pager({ page, pages, onPage }: Props) {
  return (
    <nav className={classes['pager']} aria-label="Pages of people">
      <ActionIcon
        variant="default"
        size={36}
        radius="xl"
        aria-label="Previous people"
        disabled={page === 0}
        onClick={() => onPage(page - 1)}
        data-testid="page-before"
      >
        <IconChevronLeft size={18} />
      </ActionIcon>
      <span aria-live="polite" data-testid="page-of">
        {page + 1} of {pages}
      </span>
      <ActionIcon
        variant="default"
        size={36}
        radius="xl"
        aria-label="Next people"
        disabled={page === pages - 1}
        onClick={() => onPage(page + 1)}
        data-testid="page-after"
      >
        <IconChevronRight size={18} />
      </ActionIcon>
    </nav>
  );
}
