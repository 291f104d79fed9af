import { ApiKeysCard } from '../../keys/ApiKeysCard.tsx';
import { Page } from '../../ui/Page.tsx';
import { PublishableKeyCard } from './PublishableKeyCard.tsx';

/** The account's secret keys for servers and its publishable key for apps. */
export function ApiKeysPage() {
  return (
    <Page title="API keys">
      <ApiKeysCard />
      <PublishableKeyCard />
    </Page>
  );
}
