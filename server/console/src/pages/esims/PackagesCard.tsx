import { Button, Text } from '@mantine/core';
import type { EsimPackage } from '@parley/sdk';
import { IconDeviceSim } from '@tabler/icons-react';
import { useState } from 'react';
import { useList } from '../../data/useList.ts';
import { CountrySelect } from '../../phone/CountrySelect.tsx';
import phoneClasses from '../../phone/Phone.module.css';
import { nameOfCountry } from '../../phone/phoneNumbers.ts';
import { useSignedIn } from '../../session/ParleyClient.tsx';
import { Empty } from '../../ui/Empty.tsx';
import { LoadedList } from '../../ui/LoadedList.tsx';
import { counted } from '../../ui/numbers.ts';
import { Section } from '../../ui/Section.tsx';
import { StatusBadge } from '../../ui/StatusBadge.tsx';
import { BuyEsimDialog } from './BuyEsimDialog.tsx';
import { describeData } from './describePackage.ts';

/** The packages on offer, optionally for one country. */
export function PackagesCard() {
  const { queries } = useSignedIn();
  const [country, setCountry] = useState('');
  const [buying, setBuying] = useState<EsimPackage | null>(null);
  const list = useList(queries.esimPackages(country));
  const buy = (offer: EsimPackage) => {
    setBuying(offer);
    // The price may have changed.
    void list.refresh();
  };
  return (
    <Section
      title="Packages"
      tools={
        <CountrySelect
          label="Country of use"
          all="Anywhere"
          value={country}
          onChange={setCountry}
          testId="esim-country"
        />
      }
      testId="esim-packages"
    >
      <LoadedList
        list={list}
        what="the packages"
        rows={5}
        empty={
          <Empty icon={IconDeviceSim} title="No packages for this country">
            Choose another country, or “Anywhere” to see all packages.
          </Empty>
        }
        more="Show more packages"
      >
        {(each) => <PackageItem key={each.id} offer={each} onBuy={() => buy(each)} />}
      </LoadedList>
      {buying && (
        <BuyEsimDialog
          offer={list.value?.find(({ id }) => id === buying.id) ?? buying}
          isRefreshing={list.isRefreshing}
          onClose={() => setBuying(null)}
          onFailed={list.refresh}
        />
      )}
    </Section>
  );
}

function PackageItem({ offer, onBuy }: { offer: EsimPackage; onBuy: () => void }) {
  const { id, title, countries, validDays, credits, available } = offer;
  const [first] = countries;
  return (
    <li className={phoneClasses['item']} data-testid="esim-package" data-package={id}>
      <div className={phoneClasses['about']}>
        <div className={phoneClasses['head']}>
          <strong>{title}</strong>
          {!available && <StatusBadge color="gray" label="sold out" />}
        </div>
        <Text size="sm" c="dimmed">
          {describeData(offer)} · {counted(validDays, 'day')} ·{' '}
          <span title={countries.map(nameOfCountry).join(', ')}>
            {countries.length === 1 && first
              ? nameOfCountry(first)
              : counted(countries.length, 'country', 'countries')}
          </span>
        </Text>
      </div>
      <div className={phoneClasses['head']}>
        <Text fw={600}>{counted(credits, 'credit')}</Text>
        <Button
          variant="light"
          disabled={!available}
          aria-label={`Buy ${title}`}
          onClick={onBuy}
          data-testid="esim-buy"
        >
          Buy
        </Button>
      </div>
    </li>
  );
}
