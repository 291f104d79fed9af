import type { ApiKey } from '@parley/sdk';
import { Ago } from '../ui/Ago.tsx';

/** For example "5 min. ago from 127.0.0.1", or "never". */
export function LastUsed({
  of: { lastUsedAt, lastUsedIp },
}: {
  of: Pick<ApiKey, 'lastUsedAt' | 'lastUsedIp'>;
}) {
  if (!lastUsedAt) return 'never';
  return (
    <>
      <Ago at={lastUsedAt} />
      {lastUsedIp && ` from ${lastUsedIp}`}
    </>
  );
}
