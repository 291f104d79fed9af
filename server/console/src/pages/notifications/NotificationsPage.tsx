import { Page } from '../../ui/Page.tsx';
import { PreferencesCard } from './PreferencesCard.tsx';
import { SoundCard } from './SoundCard.tsx';
import { ThisBrowserCard } from './ThisBrowserCard.tsx';

/** Turns notifications in this browser on or off, and sets the wallet's preferences. */
export function NotificationsPage() {
  return (
    <Page title="Notifications" hint="Notifications reach you while Parley is closed.">
      <ThisBrowserCard />
      <PreferencesCard />
      <SoundCard />
    </Page>
  );
}
