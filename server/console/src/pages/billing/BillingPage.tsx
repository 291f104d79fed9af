import { Page } from '../../ui/Page.tsx';
import classes from './BillingPage.module.css';
import { CheckoutNotice } from './CheckoutNotice.tsx';
import { CreditsCard } from './CreditsCard.tsx';
import { MovementsCard } from './MovementsCard.tsx';
import { PaymentsCard } from './PaymentsCard.tsx';
import { PlanCard } from './PlanCard.tsx';
import { TopUpCard } from './TopUpCard.tsx';
import { UsageCard } from './usage/UsageCard.tsx';

/** The account's credits, plan, usage and payments. */
export function BillingPage() {
  return (
    <Page title="Billing">
      <CheckoutNotice />
      <div className={classes['pair']}>
        <CreditsCard />
        <TopUpCard />
      </div>
      <PlanCard />
      <UsageCard />
      <PaymentsCard />
      <MovementsCard />
    </Page>
  );
}
