import { Button } from '@mantine/core';
import { IconListSearch, IconRefresh } from '@tabler/icons-react';
import { useSearchParams } from 'wouter';
import { useList } from '../../data/useList.ts';
import { useSignedIn } from '../../session/ParleyClient.tsx';
import { Empty } from '../../ui/Empty.tsx';
import { LoadedList } from '../../ui/LoadedList.tsx';
import { Page } from '../../ui/Page.tsx';
import { AuditFilters } from './AuditFilters.tsx';
import { AuditList } from './AuditList.tsx';
import { readFilter, toQuery, writeFilter, type AuditFilter } from './auditFilter.ts';

/** The account's audit log, with filters. */
export function AuditPage() {
  const { queries } = useSignedIn();
  const [parameters, setParameters] = useSearchParams();
  const filter = readFilter(parameters);
  const list = useList(queries.auditLog(toQuery(filter)));
  const isFiltered = Object.keys(writeFilter(filter)).length > 0;
  const change = (next: AuditFilter) => setParameters(writeFilter(next), { replace: true });
  const refresh = (
    <Button
      variant="default"
      leftSection={<IconRefresh size={16} />}
      loading={list.isRefreshing}
      onClick={() => void list.refresh()}
      data-testid="audit-refresh"
    >
      Refresh
    </Button>
  );
  return (
    <Page title="Audit log" hint="Requests and changes, newest first. Entries cannot be edited or deleted.">
      <AuditFilters filter={filter} onChange={change} action={refresh} />
      <section className="parley-card" aria-label="Entries" data-testid="audit-log">
        <LoadedList
          list={list}
          what="the audit log"
          rows={6}
          rowHeight={52}
          empty={
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
          }
          more="Show older entries"
          render={(rows) => <AuditList rows={rows} />}
        />
      </section>
    </Page>
  );
}
