import { Button } from '@mantine/core';
import { IconWallet } from '@tabler/icons-react';
import { Link } from 'wouter';
import { Empty } from '../../ui/Empty.tsx';

interface Props {
  title?: string;
  /** What there is between wallets alone. */
  children?: string;
}

const ofCalls =
  'Calls are made between wallets, and your account has none yet. Link one on the account page, then you can call and be called here. Everything else works without.';

/** Calls and chats are between wallets: what somebody without one can do about it. */
export function NoWallet({ title = 'Calling needs a wallet', children = ofCalls }: Props) {
  return (
    <section className="parley-card" aria-label="No wallet yet" data-testid="no-wallet">
      <Empty
        icon={IconWallet}
        title={title}
        action={
          <Button component={Link} href="/account" data-testid="no-wallet-link">
            Link a wallet
          </Button>
        }
      >
        {children}
      </Empty>
    </section>
  );
}
