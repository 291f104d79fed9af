import { Button } from '@mantine/core';
import { IconListSearch, IconRefresh } from '@tabler/icons-react';
import { useMemo } from 'react';
import { useSearchParams } from 'wouter';
import { useLoaded } from '../../data/useLoaded.ts';
import { useSignedIn } from '../../session/ParleyClient.tsx';
import { Empty } from '../../ui/Empty.tsx';
import { LoadingRows } from '../../ui/LoadingRows.tsx';
import { Page } from '../../ui/Page.tsx';
import { ProblemAlert } from '../../ui/ProblemAlert.tsx';
import { AuditFilters } from './AuditFilters.tsx';
import { AuditList } from './AuditList.tsx';
import { readFilter, toQuery, writeFilter, type AuditFilter } from './auditFilter.ts';

/** The account's audit log, with filters. */
export function AuditPage() {
  const { account } = useSignedIn();
  const [parameters, setParameters] = useSearchParams();
  const list = useMemo(() => account.auditLog(toQuery(readFilter(parameters))), [account, parameters]);
  const { items, hasMore, isLoading, isLoadingMore, problem } = useLoaded(list);
  const filter = readFilter(parameters);
  const isFiltered = Object.keys(writeFilter(filter)).length > 0;
  const change = (next: AuditFilter) => setParameters(writeFilter(next), { replace: true });
  const refresh = (
    <Button
      variant="default"
      leftSection={<IconRefresh size={16} />}
      loading={isLoading && items !== null}
      onClick={() => void list.refresh()}
      data-testid="audit-refresh"
    >
      Refresh
    </Button>
  );
  return (
    <Page
      title="Audit log"
      hint="Every request and every change, newest first. Entries cannot be edited or deleted."
    >
      <AuditFilters filter={filter} onChange={change} action={refresh} />
      <section className="parley-card" aria-label="Entries" data-testid="audit-log">
        {problem && <ProblemAlert problem={problem} onRetry={() => void list.refresh()} />}
        {items === null && isLoading && <LoadingRows what="the audit log" rows={6} />}
        {items?.length === 0 && (
          <Empty
            icon={IconListSearch}
            title="No entries"
            action={
              isFiltered && (
                <Button variant="light" onClick={() => setParameters({}, { replace: true })}>
                  Clear filters
                </Button>
              )
            }
          >
            {isFiltered
              ? 'No entry matches these filters. New requests appear within a second.'
              : 'Requests and changes appear here within a second.'}
          </Empty>
        )}
        {items !== null && items.length > 0 && <AuditList rows={items} />}
        {hasMore && (
          <Button
            variant="default"
            fullWidth
            mt="sm"
            loading={isLoadingMore}
            onClick={() => void list.more()}
            data-testid="audit-more"
          >
            Show older entries
          </Button>
        )}
      </section>
    </Page>
  );
}
