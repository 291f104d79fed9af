import { Loader } from '@mantine/core';
import { IconCircleCheck } from '@tabler/icons-react';
import { useList } from '../data/useList.ts';
import { useSignedIn } from '../session/ParleyClient.tsx';
import classes from './Keys.module.css';
import { LastUsed } from './LastUsed.tsx';

/** Shows whether a new key has received its first request. */
export function FirstUse({ keyId }: { keyId: string }) {
  const { value: keys } = useList(useSignedIn().queries.keys, { everyMs: 3_000 });
  const key = keys?.find(({ id }) => id === keyId);
  return (
    <div className={classes['firstUse']} role="status" data-testid="first-use" data-used={!!key?.lastUsedAt}>
      {key?.lastUsedAt ? (
        <>
          <IconCircleCheck size={20} aria-hidden />
          <span>
            The key works: used <LastUsed of={key} />.
          </span>
        </>
      ) : (
        <>
          <Loader size="xs" color="gray" />
          <span>Waiting for the first request…</span>
        </>
      )}
    </div>
  );
}
