import { ApiKeysCard } from '../../keys/ApiKeysCard.tsx';
import { Page } from '../../ui/Page.tsx';
import classes from './BillingPage.module.css';
import { CheckoutNotice } from './CheckoutNotice.tsx';
import { CreditsCard } from './CreditsCard.tsx';
import { MovementsCard } from './MovementsCard.tsx';
import { PaymentsCard } from './PaymentsCard.tsx';
import { PlanCard } from './PlanCard.tsx';
import { TopUpCard } from './TopUpCard.tsx';
import { UsageCard } from './usage/UsageCard.tsx';

/** What the account has, who may spend it, and where it went. */
export function BillingPage() {
  return (
    <Page title="Billing">
      <CheckoutNotice />
      <div className={classes['pair']}>
        <CreditsCard />
        <TopUpCard />
      </div>
      <PlanCard />
      <ApiKeysCard />
      <UsageCard />
      <PaymentsCard />
      <MovementsCard />
    </Page>
  );
}
