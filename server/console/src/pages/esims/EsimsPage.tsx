import { Page } from '../../ui/Page.tsx';
import { EsimOrdersCard } from './EsimOrdersCard.tsx';
import { PackagesCard } from './PackagesCard.tsx';

/** Mobile data packages and the eSIMs already bought. */
export function EsimsPage() {
  return (
    <Page
      title="eSIMs"
      hint="Mobile data without a physical SIM card. Buy a package, scan its code, and the phone is online."
    >
      <EsimOrdersCard />
      <PackagesCard />
    </Page>
  );
}
