import { Button } from '@mantine/core';
import { IconLogin2 } from '@tabler/icons-react';
import type { Provider } from '@parley/sdk';
import { useLeaving } from '../ui/useLeaving.ts';
import { leaveForProvider, type Purpose } from './providerFlow.ts';

interface Props {
  provider: Provider;
  purpose: Purpose;
  onProblem: (error: unknown) => void;
}

const labels: Record<Purpose, string> = { signIn: 'Sign in with', link: 'Link', delete: 'Confirm with' };

/** Opens the provider's sign-in page. */
export function ProviderButton({ provider, purpose, onProblem }: Props) {
  const [isLeaving, setLeaving] = useLeaving();
  const leave = () => {
    setLeaving(true);
    leaveForProvider(provider, purpose).catch((error: unknown) => {
      setLeaving(false);
      onProblem(error);
    });
  };
  return (
    <Button
      variant="default"
      size="md"
      h={52}
      px="xs"
      fz={15}
      fullWidth
      leftSection={<IconLogin2 size={20} />}
      loading={isLeaving}
      onClick={leave}
      data-testid={`provider-${purpose}`}
    >
      {labels[purpose]} {provider.name}
    </Button>
  );
}
