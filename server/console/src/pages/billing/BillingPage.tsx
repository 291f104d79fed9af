import { ApiKeysCard } from '../../keys/ApiKeysCard.tsx';
import { Page } from '../../ui/Page.tsx';
import classes from './BillingPage.module.css';
import { CreditsCard } from './CreditsCard.tsx';
import { MovementsCard } from './MovementsCard.tsx';
import { PlanCard } from './PlanCard.tsx';
import { UsageCard } from './usage/UsageCard.tsx';

/** What the account has, who may spend it, and where it went. */
export function BillingPage() {
  return (
    <Page title="Billing">
      <div className={classes['pair']}>
        <CreditsCard />
        <PlanCard />
      </div>
      <ApiKeysCard />
      <UsageCard />
      <MovementsCard />
    </Page>
  );
}
