import { Button, Group } from '@mantine/core';
import type { PhoneNumber } from '@parley/sdk';
import { IconMessage, IconRefresh, IconTrash, IconWebhook } from '@tabler/icons-react';
import { Link } from 'wouter';
import phoneClasses from '../../phone/Phone.module.css';
import { PhoneNumberText } from '../../phone/PhoneNumberText.tsx';
import { nameOfCountry, formatPhoneNumber } from '../../phone/phoneNumbers.ts';
import { Fact } from '../../ui/Fact.tsx';
import { counted, onDay } from '../../ui/numbers.ts';
import { StatusBadge, type Status } from '../../ui/StatusBadge.tsx';
import { AutoRenewSwitch } from './AutoRenewSwitch.tsx';
import { numberTypeLabels } from './numberTypeLabels.ts';

export type NumberTask = 'renew' | 'release';

interface Props {
  number: PhoneNumber;
  onTask: (task: NumberTask) => void;
}

export function NumberItem({ number, onTask }: Props) {
  const { id, phoneNumber, country, region, type, status, monthlyCredits, expiresAt } = number;
  const isOurs = status === 'active' || status === 'expired';
  return (
    <li className={phoneClasses['item']} data-testid="number" data-number={phoneNumber} data-status={status}>
      <div className={phoneClasses['about']}>
        <div className={phoneClasses['head']}>
          <strong>
            <PhoneNumberText value={phoneNumber} />
          </strong>
          <StatusBadge {...statuses[status]} />
        </div>
        <dl className={phoneClasses['facts']}>
          <Fact name={numberTypeLabels[type]}>
            {region ? `${region}, ${nameOfCountry(country)}` : nameOfCountry(country)}
          </Fact>
          {isOurs && (
            <>
              <Fact name={status === 'expired' ? 'Expired' : 'Paid until'} testId="number-expires">
                {onDay(expiresAt)}
              </Fact>
              <Fact name="Monthly price">{counted(monthlyCredits, 'credit')}</Fact>
            </>
          )}
        </dl>
        {isOurs && <AutoRenewSwitch number={number} />}
      </div>
      {isOurs && (
        <Group gap="xs">
          {status === 'active' && (
            <Button
              component={Link}
              href={`/texts/new?from=${encodeURIComponent(phoneNumber)}`}
              variant="light"
              size="sm"
              leftSection={<IconMessage size={16} />}
              aria-label={`Send a message from ${formatPhoneNumber(phoneNumber)}`}
              data-testid="number-write"
            >
              Message
            </Button>
          )}
          <Button
            component={Link}
            href={`/webhooks/numbers?number=${id}`}
            variant="default"
            size="sm"
            leftSection={<IconWebhook size={16} />}
            aria-label={`Webhook of ${formatPhoneNumber(phoneNumber)}`}
          >
            Webhook
          </Button>
          <Button
            variant="default"
            size="sm"
            leftSection={<IconRefresh size={16} />}
            aria-label={`Renew ${formatPhoneNumber(phoneNumber)}`}
            onClick={() => onTask('renew')}
            data-testid="number-renew"
          >
            Renew
          </Button>
          <Button
            variant="subtle"
            color="brick"
            size="sm"
            leftSection={<IconTrash size={16} />}
            aria-label={`Release ${formatPhoneNumber(phoneNumber)}`}
            onClick={() => onTask('release')}
            data-testid="number-release"
          >
            Release
          </Button>
        </Group>
      )}
    </li>
  );
}

const statuses: Record<PhoneNumber['status'], Status> = {
  pending: { color: 'amber', label: 'pending' },
  active: { color: 'pine', label: 'active' },
  expired: { color: 'brick', label: 'expired' },
  released: { color: 'gray', label: 'released' },
};
