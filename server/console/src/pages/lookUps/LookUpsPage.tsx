import { Page } from '../../ui/Page.tsx';
import { LeaksCard } from './LeaksCard.tsx';
import { NumberCard } from './NumberCard.tsx';
import { VerificationCard } from './VerificationCard.tsx';

/** A page to try the paid look-ups that programs use through the API. */
export function LookUpsPage() {
  return (
    <Page title="Lookups" hint="Try the lookups that your programs can use. They cost the same here.">
      <NumberCard />
      <LeaksCard />
      <VerificationCard />
    </Page>
  );
}
