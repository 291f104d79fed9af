import { useList } from '../../../data/useList.ts';
import { useSignedIn } from '../../../session/ParleyClient.tsx';
import { counted, inDigits } from '../../../ui/numbers.ts';
import classes from './Usage.module.css';
import type { Measure, UsageShare } from './usageDays.ts';

interface Props {
  shares: UsageShare[];
  measure: Measure;
  groupBy: 'service' | 'key';
}

/** A chart with a bar per service or key. Screen readers can read its numbers, because they are text. */
export function ShareChart({ shares, measure, groupBy }: Props) {
  const { value: keys } = useList(useSignedIn().queries.keys, { isRead: false });
  const largest = Math.max(1, ...shares.map((share) => share[measure]));
  const nameOf = (bucket: string) => {
    if (groupBy === 'service') return services[bucket] ?? bucket;
    if (bucket === 'session') return 'No key (this console and apps)';
    const key = keys?.find(({ prefix }) => prefix === bucket);
    return key ? `${key.name} (${bucket}…)` : `${bucket}…`;
  };
  return (
    <ul className={classes['shares']} data-testid="usage-shares">
      {shares.map((share) => (
        <li key={share.bucket} data-bucket={share.bucket}>
          <div className={classes['shareText']}>
            <span>{nameOf(share.bucket)}</span>
            <span className={classes['shareNumber']}>{inDigits(share[measure])}</span>
          </div>
          <div className={classes['track']} aria-hidden>
            <div style={{ width: `${(Math.max(0, share[measure]) / largest) * 100}%` }} />
          </div>
          <span className={classes['small']}>
            {counted(share.requests, 'request')}, {counted(share.credits, 'credit')}
          </span>
        </li>
      ))}
    </ul>
  );
}

/** Names of the services. The server identifies them by the first part of their paths. */
const services: Record<string, string> = {
  account: 'Account',
  'api-keys': 'API keys',
  'audit-logs': 'Audit log',
  sms: 'Text messages',
  messaging: 'Message threads',
  numbers: 'Numbers',
  lookup: 'Number lookups',
  leaksearch: 'Data breach search',
  esim: 'eSIM',
  verifications: 'Verification codes',
  xmpp: 'XMPP accounts',
};
