import { IconListCheck } from '@tabler/icons-react';
import { useList } from '../../data/useList.ts';
import { useSignedIn } from '../../session/ParleyClient.tsx';
import { Empty } from '../../ui/Empty.tsx';
import { LoadedList } from '../../ui/LoadedList.tsx';
import { Section } from '../../ui/Section.tsx';
import { DeliveryItem } from './DeliveryItem.tsx';

const refreshMs = 4_000;

/** The deliveries of a webhook with their responses, latest first. */
export function DeliveriesCard({ numberId, hasWebhook }: { numberId: string; hasWebhook: boolean }) {
  const list = useList(useSignedIn().queries.deliveries(numberId), { everyMs: refreshMs });
  if (!hasWebhook && !list.value?.length) return null;
  return (
    <Section
      title="Deliveries"
      hint="Failed deliveries are retried for days at growing intervals."
      testId="deliveries"
    >
      <LoadedList
        list={list}
        what="the deliveries"
        rowHeight={56}
        empty={
          <Empty icon={IconListCheck} title="No deliveries yet">
            Send a test event or text this number. Each event is listed here with your server’s response.
          </Empty>
        }
        more="Show older deliveries"
      >
        {(delivery) => <DeliveryItem key={delivery.id} delivery={delivery} webhookId={delivery.id} />}
      </LoadedList>
    </Section>
  );
}
