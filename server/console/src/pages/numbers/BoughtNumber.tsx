import { CopyField } from '@parley/react';
import { Button, Group, Stack, Text } from '@mantine/core';
import type { NumberOrder } from '@parley/sdk';
import { Link } from 'wouter';
import { counted, onDay } from '../../ui/numbers.ts';

/** The result of a purchase and the next steps. */
export function BoughtNumber({ order, onClose }: { order: NumberOrder; onClose: () => void }) {
  const { phoneNumber, number, credits } = order;
  return (
    <Stack gap="md" data-testid="bought" data-status={order.status}>
      {phoneNumber && <CopyField label="Your number" value={phoneNumber} data-testid="bought-number" />}
      <Text>
        {number
          ? `Paid until ${onDay(number.expiresAt)} with ${counted(credits, 'credit')}. It can send and receive texts now.`
          : `The carrier has not answered yet. Reserved until it does: ${counted(credits, 'credit')}. See the status on the Numbers page.`}
      </Text>
      <Group justify="flex-end" gap="sm">
        {number && (
          <Button
            component={Link}
            href={`/texts/new?from=${encodeURIComponent(number.phoneNumber)}`}
            variant="light"
            data-testid="bought-write"
          >
            Write a message
          </Button>
        )}
        <Button onClick={onClose} autoFocus data-testid="bought-done">
          Done
        </Button>
      </Group>
    </Stack>
  );
}
