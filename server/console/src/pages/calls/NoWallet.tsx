import { Button } from '@mantine/core';
import { IconWallet } from '@tabler/icons-react';
import { Link } from 'wouter';
import { Empty } from '../../ui/Empty.tsx';

interface Props {
  title?: string;
  /** Says which feature needs a wallet. */
  text?: string;
}

const callsNeedWallet =
  'Calls are made between wallets, and your account has no wallet yet. Link one on your profile page to make and receive calls.';

/** Explains to an account without a wallet that it has to link one. */
export function NoWallet({ title = 'Calls need a wallet', text = callsNeedWallet }: Props) {
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
        {text}
      </Empty>
    </section>
  );
}
