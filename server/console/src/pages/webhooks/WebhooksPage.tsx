import { Anchor, NativeSelect } from '@mantine/core';
import { IconWebhook } from '@tabler/icons-react';
import { Link, useSearchParams } from 'wouter';
import { useLoaded } from '../../data/useLoaded.ts';
import { formatPhoneNumber } from '../../phone/phoneNumbers.ts';
import { useSignedIn } from '../../session/ParleyClient.tsx';
import { Empty } from '../../ui/Empty.tsx';
import { LoadedList } from '../../ui/LoadedList.tsx';
import { Page } from '../../ui/Page.tsx';
import { NumbersWebhook } from './NumbersWebhook.tsx';

/** The webhook of each number and its deliveries. */
export function WebhooksPage() {
  const { phone } = useSignedIn();
  const state = useLoaded(phone.numbers);
  const [parameters, setParameters] = useSearchParams();
  const own = (state.items ?? []).filter(({ status }) => status === 'active' || status === 'expired');
  const number = own.find(({ id }) => id === parameters.get('number')) ?? own[0];
  return (
    <Page
      title="Webhooks"
      hint="Notify your server of incoming texts, delivery results and changes of a number. Events are signed and retried until your server accepts them."
    >
      <LoadedList
        list={phone.numbers}
        state={{ ...state, hasMore: false }}
        what="your numbers"
        empty={null}
        more=""
      >
        {() => null}
      </LoadedList>
      {state.items !== null && !number && (
        <section className="parley-card" aria-label="No number">
          <Empty icon={IconWebhook} title="No numbers yet">
            A webhook belongs to a number:{' '}
            <Anchor component={Link} href="/numbers">
              buy a number first
            </Anchor>
            . Shared numbers have no webhooks.
          </Empty>
        </section>
      )}
      {number && (
        <>
          <NativeSelect
            label="Number"
            data={own.map(({ id, phoneNumber, webhook }) => ({
              value: id,
              label: `${formatPhoneNumber(phoneNumber)}${webhook ? '' : ' (no webhook)'}`,
            }))}
            value={number.id}
            onChange={(event) => setParameters({ number: event.currentTarget.value }, { replace: true })}
            maw={320}
            data-testid="webhook-number"
          />
          <NumbersWebhook key={number.id} number={number} />
        </>
      )}
    </Page>
  );
}
