import { useSignedIn } from '../../session/ParleyClient.tsx';
import { Page } from '../../ui/Page.tsx';
import { NoWallet } from '../calls/NoWallet.tsx';
import { PreferencesCard } from './PreferencesCard.tsx';
import { ThisBrowserCard } from './ThisBrowserCard.tsx';

/** Turns notifications in this browser on or off, and sets the wallet's preferences. */
export function NotificationsPage() {
  const { wallet } = useSignedIn();
  if (!wallet) {
    return (
      <NoWallet title="Notifications need a wallet">
        Notifications are about the calls, messages and voicemails of a wallet, and your account has no wallet
        yet. Link one on your profile page.
      </NoWallet>
    );
  }
  return (
    <Page title="Notifications" hint="Notifications reach you while Parley is closed.">
      <ThisBrowserCard />
      <PreferencesCard />
    </Page>
  );
}
