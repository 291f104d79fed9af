import type { BrowserWallet } from '@parley/react';
import { Button, Menu, Text } from '@mantine/core';
import { IconChevronDown, IconWallet } from '@tabler/icons-react';
import { useBrowserWallets, useSessionController } from '../../session/ParleyClient.tsx';
import type { SignedIn } from '../../session/SessionController.ts';

/** Sign-in with a browser wallet, or the choice of one if there are several. */
export function WalletSignIn({ busyWith }: { busyWith: SignedIn['kind'] | null }) {
  const wallets = useBrowserWallets();
  const session = useSessionController();
  const [only] = wallets;
  const button = {
    variant: 'default',
    size: 'md',
    h: 52,
    px: 'xs',
    fz: 15,
    fullWidth: true,
    loading: busyWith === 'wallet',
    disabled: (busyWith !== null && busyWith !== 'wallet') || wallets.length === 0,
    'data-testid': 'connect-wallet',
  };
  if (wallets.length > 1) return <Choice wallets={wallets} button={button} />;
  return (
    <>
      <Button
        {...button}
        leftSection={<WalletIcon wallet={only} />}
        aria-describedby="wallet-hint"
        onClick={() => only && void session.connect(only)}
      >
        Sign in with {only?.name ?? 'your browser wallet'}
      </Button>
      <Text id="wallet-hint" size="sm" c="dimmed" ta="center" role="status">
        {only
          ? hintFor(busyWith)
          : 'No wallet found in this browser. Install one (such as MetaMask or Rabby) and reload the page.'}
      </Text>
    </>
  );
}

const hintFor = (busyWith: string | null) =>
  busyWith === 'wallet'
    ? 'Confirm the message in your wallet.'
    : 'You sign one message. It is free and sends no transaction.';

function Choice({ wallets, button }: { wallets: BrowserWallet[]; button: object }) {
  const session = useSessionController();
  return (
    <Menu width="target" position="bottom">
      <Menu.Target>
        <Button
          {...button}
          leftSection={<IconWallet size={20} />}
          rightSection={<IconChevronDown size={18} />}
        >
          Sign in with your wallet
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {wallets.map((wallet) => (
          <Menu.Item
            key={wallet.id}
            leftSection={<WalletIcon wallet={wallet} />}
            onClick={() => void session.connect(wallet)}
          >
            {wallet.name}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

function WalletIcon({ wallet }: { wallet: BrowserWallet | undefined }) {
  return wallet?.icon ? (
    <img width={20} height={20} style={{ borderRadius: 4 }} src={wallet.icon} alt="" />
  ) : (
    <IconWallet size={20} />
  );
}
