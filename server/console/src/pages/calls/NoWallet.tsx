import { Button } from '@mantine/core';
import { IconWallet } from '@tabler/icons-react';
import { Link } from 'wouter';
import { Empty } from '../../ui/Empty.tsx';

/** Calls are between wallets: what somebody without one can do about it. */
export function NoWallet() {
  return (
    <section className="parley-card" aria-label="No wallet yet" data-testid="no-wallet">
      <Empty
        icon={IconWallet}
        title="Calling needs a wallet"
        action={
          <Button component={Link} href="/account" data-testid="no-wallet-link">
            Link a wallet
          </Button>
        }
      >
        Calls are made between wallets, and your account has none yet. Link one on the account page, then you
        can call and be called here. Everything else works without.
      </Empty>
    </section>
  );
}
