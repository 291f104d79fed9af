import { Anchor, NativeSelect } from '@mantine/core';
import { IconWebhook } from '@tabler/icons-react';
import { Link, useSearchParams } from 'wouter';
import { useList } from '../../data/useList.ts';
import { formatPhoneNumber } from '../../phone/phoneNumbers.ts';
import { useSignedIn } from '../../session/ParleyClient.tsx';
import { Empty } from '../../ui/Empty.tsx';
import { LoadedValue } from '../../ui/LoadedValue.tsx';
import { NumbersWebhook } from './NumbersWebhook.tsx';

/** The webhook of each number and its deliveries. */
export function NumbersWebhooks() {
  const numbers = useList(useSignedIn().queries.numbers);
  const [parameters, setParameters] = useSearchParams();
  const own = (numbers.value ?? []).filter(({ status }) => status === 'active' || status === 'expired');
  const number = own.find(({ id }) => id === parameters.get('number')) ?? own[0];
  return (
    <>
      <LoadedValue of={numbers} what="your numbers" rows={3} rowHeight={72}>
        {() =>
          !number && (
            <section className="parley-card" aria-label="No number">
              <Empty icon={IconWebhook} title="No numbers yet">
                A number can have a webhook of its own, which gets only the events of that number:{' '}
                <Anchor component={Link} href="/numbers">
                  buy a number first
                </Anchor>
                . The events of shared numbers go to endpoints.
              </Empty>
            </section>
          )
        }
      </LoadedValue>
      {number && (
        <>
          <NativeSelect
            label="Number"
            description="A number’s own webhook gets only the events of that number."
            data={own.map(({ id, phoneNumber, webhook }) => ({
              value: id,
              label: `${formatPhoneNumber(phoneNumber)}${webhook ? '' : ' (no webhook)'}`,
            }))}
            value={number.id}
            onChange={(event) => setParameters({ number: event.currentTarget.value }, { replace: true })}
            maw={420}
            data-testid="webhook-number"
          />
          <NumbersWebhook key={number.id} number={number} />
        </>
      )}
    </>
  );
}
