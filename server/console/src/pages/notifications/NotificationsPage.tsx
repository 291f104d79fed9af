import { useSignedIn } from '../../session/ParleyClient.tsx';
import { Page } from '../../ui/Page.tsx';
import { NoWallet } from '../calls/NoWallet.tsx';
import { PreferencesCard } from './PreferencesCard.tsx';
import { ThisBrowserCard } from './ThisBrowserCard.tsx';

/** Whether this browser is told while no page is open, and of what. */
export function NotificationsPage() {
  const { wallet } = useSignedIn();
  if (!wallet) {
    return (
      <NoWallet title="Notifications need a wallet">
        You are notified of calls, messages and voicemails for a wallet, and your account has none yet. Link
        one on the account page.
      </NoWallet>
    );
  }
  return (
    <Page title="Notifications" hint="For when no page of Parley is open.">
      <ThisBrowserCard />
      <PreferencesCard />
    </Page>
  );
}
