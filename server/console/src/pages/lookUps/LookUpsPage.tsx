import { Page } from '../../ui/Page.tsx';

/** Questions that are paid by the answer. */
export function LookUpsPage() {
  return <Page title="Look-ups">{null}</Page>;
}
