import { ProblemAlert, useStore } from '@parley/react';
import { Button, Text } from '@mantine/core';
import { IconBell, IconBellOff } from '@tabler/icons-react';
import { useAction } from '../../data/useAction.ts';
import type { Permission } from '../../notifications/PushRegistration.ts';
import { useWalletData } from '../../session/ParleyClient.tsx';
import { Section } from '../../ui/Section.tsx';
import { usePermission } from './usePermission.ts';

/** Turns notifications on or off in this browser, and explains why they are not available. */
export function ThisBrowserCard() {
  const { push } = useWalletData();
  const { permission, lookAgain } = usePermission();
  const isRegistered = useStore(push.isRegistered) && permission === 'granted';
  const register = useAction(push.register);
  const unregister = useAction(push.unregister);
  const problem = register.problem ?? unregister.problem;
  const canRegister = permission === 'granted' || permission === 'default';
  return (
    <Section title="This browser" testId="this-browser">
      <div data-testid="push-state" data-permission={permission} data-registered={isRegistered}>
        <Text mb="md">{isRegistered ? registered : explained[permission]}</Text>
        {problem && <ProblemAlert problem={problem} />}
        {isRegistered && (
          <Button
            variant="default"
            leftSection={<IconBellOff size={18} />}
            loading={unregister.isRunning}
            onClick={() => void unregister.run()}
            data-testid="push-off"
          >
            Turn off notifications
          </Button>
        )}
        {!isRegistered && canRegister && (
          <Button
            leftSection={<IconBell size={18} />}
            loading={register.isRunning}
            onClick={() => void register.run().then(lookAgain)}
            data-testid="push-on"
          >
            {permission === 'default' ? 'Allow notifications' : 'Turn on notifications'}
          </Button>
        )}
      </div>
    </Section>
  );
}

const registered =
  'Notifications are on in this browser, even while this page is closed. They turn on again when you sign in again.';

const explained: Record<Permission, string> = {
  default: 'Notifications are off in this browser. When you allow them, the browser asks you for permission.',
  granted: 'Notifications are off in this browser.',
  denied:
    'Notifications are blocked for this page. Click the lock or settings icon next to the address bar and allow notifications. This page updates automatically.',
  unsupported:
    'This browser does not support notifications here. They need https (or localhost). On an iPhone, add this page to the home screen and open it from there.',
};
