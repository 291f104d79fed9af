import { Button, Text } from '@mantine/core';
import { IconBell, IconBellOff } from '@tabler/icons-react';
import { useAction } from '../../data/useAction.ts';
import type { Permission } from '../../notifications/PushData.ts';
import { useWalletData } from '../../session/ParleyClient.tsx';
import { useStore } from '../../session/Store.ts';
import { ProblemAlert } from '../../ui/ProblemAlert.tsx';
import { Section } from '../../ui/Section.tsx';
import { usePermission } from './usePermission.ts';

/** Whether this browser is told, and what stands in the way. */
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
        <Text mb="md">{isRegistered ? told : explained[permission]}</Text>
        {problem && <ProblemAlert problem={problem} />}
        {isRegistered && (
          <Button
            variant="default"
            leftSection={<IconBellOff size={18} />}
            loading={unregister.isRunning}
            onClick={() => void unregister.run()}
            data-testid="push-off"
          >
            Tell this browser no more
          </Button>
        )}
        {!isRegistered && canRegister && (
          <Button
            leftSection={<IconBell size={18} />}
            loading={register.isRunning}
            onClick={() => void register.run().then(lookAgain)}
            data-testid="push-on"
          >
            {permission === 'default' ? 'Allow notifications' : 'Tell this browser'}
          </Button>
        )}
      </div>
    </Section>
  );
}

const told =
  'It is told of calls, messages and voicemails, also while this page is closed. After signing in anew it is told again by itself.';

const explained: Record<Permission, string> = {
  default:
    'It is not told of anything yet. The browser asks you once whether this page may show notifications.',
  granted: 'This page may show notifications, but this browser is not told of anything yet.',
  denied:
    'Notifications are blocked for this page. Click the lock or settings symbol beside the address bar, allow notifications, then come back: this page notices by itself.',
  unsupported:
    'This browser has no notifications here. They need https (or localhost); on an iPhone, put this page on the home screen first and open it from there.',
};
