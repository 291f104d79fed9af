import { Checkbox, NativeSelect, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { useList } from '../../data/useList.ts';
import { useSignedIn } from '../../session/ParleyClient.tsx';
import classes from './AuditPage.module.css';
import { actionNames, type AuditFilter } from './auditFilter.ts';

interface Props {
  filter: AuditFilter;
  onChange: (filter: AuditFilter) => void;
  action: ReactNode;
}

const actions = [
  { value: '', label: 'All actions' },
  ...Object.entries(actionNames).map(([value, label]) => ({ value, label })),
];

export function AuditFilters({ filter, onChange, action }: Props) {
  const { value } = useList(useSignedIn().queries.keys);
  const known = (value ?? []).map(({ name, prefix }) => ({ value: prefix, label: `${name} · ${prefix}…` }));
  // The filter in the URL may name a key that is not loaded.
  const unknown = filter.keyPrefix && !known.some(({ value }) => value === filter.keyPrefix);
  const keys = [
    { value: '', label: 'Any key or none' },
    ...(unknown ? [{ value: filter.keyPrefix, label: `${filter.keyPrefix}…` }] : []),
    ...known,
  ];
  return (
    <section className={classes['filters']} aria-label="Filters" data-testid="audit-filters">
      <NativeSelect
        className={classes['wide'] ?? ''}
        label="Key"
        data={keys}
        value={filter.keyPrefix}
        onChange={(event) => onChange({ ...filter, keyPrefix: event.currentTarget.value })}
        data-testid="filter-key"
      />
      <NativeSelect
        className={classes['wide'] ?? ''}
        label="Action"
        data={actions}
        value={filter.action}
        onChange={(event) =>
          onChange({ ...filter, action: event.currentTarget.value as AuditFilter['action'] })
        }
        data-testid="filter-action"
      />
      <TextInput
        type="date"
        label="From"
        value={filter.from}
        max={filter.to || undefined}
        onChange={(event) => onChange({ ...filter, from: event.currentTarget.value })}
        data-testid="filter-from"
      />
      <TextInput
        type="date"
        label="To"
        value={filter.to}
        min={filter.from || undefined}
        onChange={(event) => onChange({ ...filter, to: event.currentTarget.value })}
        data-testid="filter-to"
      />
      {action}
      <Checkbox
        className={classes['reads'] ?? ''}
        label="Show what the console reads"
        checked={filter.reads === 'shown'}
        onChange={(event) => onChange({ ...filter, reads: event.currentTarget.checked ? 'shown' : '' })}
        data-testid="filter-reads"
      />
    </section>
  );
}
