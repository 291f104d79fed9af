import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react';
import { IconButton } from '../../ui/Button.tsx';
import { useWords } from '../../words/WordsContext.tsx';
import classes from './InRoom.module.css';

interface Props {
  page: number;
  pages: number;
  onPage: (page: number) => void;
}

/** Switches between the pages of a large room. */
export function Pager({ page, pages, onPage }: Props) {
  const words = useWords().rooms;
  return (
    <nav className={classes['pager']} aria-label={words.pages}>
      <IconButton
        variant="outline"
        label={words.previousPage}
        disabled={page === 0}
        onClick={() => onPage(page - 1)}
        data-testid="page-before"
      >
        <IconChevronLeft size={18} aria-hidden data-parley-pointing />
      </IconButton>
      <span aria-live="polite" data-testid="page-of">
        {words.pageOf(page + 1, pages)}
      </span>
      <IconButton
        variant="outline"
        label={words.nextPage}
        disabled={page === pages - 1}
        onClick={() => onPage(page + 1)}
        data-testid="page-after"
      >
        <IconChevronRight size={18} aria-hidden data-parley-pointing />
      </IconButton>
    </nav>
  );
}
