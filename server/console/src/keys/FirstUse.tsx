import { Loader } from '@mantine/core';
import { IconCircleCheck } from '@tabler/icons-react';
import { useRefreshEvery } from '../data/useRefreshEvery.ts';
import { useSignedIn } from '../session/ParleyClient.tsx';
import { useStore } from '../session/Store.ts';
import classes from './Keys.module.css';
import { LastUsed } from './LastUsed.tsx';

/** Shows whether a new key has received its first request. */
export function FirstUse({ keyId }: { keyId: string }) {
  const { keys } = useSignedIn().account;
  const key = useStore(keys.store).items?.find(({ id }) => id === keyId);
  useRefreshEvery(3_000, keys.refresh);
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
