import { Ago } from '@parley/react';
import type { ApiKey } from '@parley/sdk';

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
