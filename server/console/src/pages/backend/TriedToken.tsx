import { CopyField } from '@parley/react';
import { Button, Group, SegmentedControl, Stack, Text } from '@mantine/core';
import { IconExternalLink } from '@tabler/icons-react';
import { useState } from 'react';
import { guestLink } from '../../guests/participantToken.ts';
import { codeOf, type Language, type Tried } from './codeOf.ts';

interface Props {
  tried: Tried;
  onAgain: () => void;
  onClose: () => void;
}

/** The link of a new token, and the code that creates one like it. */
export function TriedToken({ tried, onAgain, onClose }: Props) {
  const [language, setLanguage] = useState<Language>('node');
  const { displayName, identity } = tried.wanted;
  const link = guestLink(tried.token);
  return (
    <Stack gap="md">
      <Text size="sm">
        The person who opens this link is <strong>{displayName ?? identity}</strong>. It works for one hour,
        on one device at a time.
      </Text>
      <div>
        {/* noopener also keeps the guest's tab from getting a copy of this tab's session. */}
        <Button
          component="a"
          href={link}
          target="_blank"
          rel="noopener"
          leftSection={<IconExternalLink size={18} />}
          data-autofocus
          data-testid="open-as-guest"
        >
          Open as {displayName ?? identity} in a new tab
        </Button>
      </div>
      <CopyField label="Guest link" value={link} data-testid="guest-link" />
      <SegmentedControl
        aria-label="Language of the example"
        value={language}
        onChange={setLanguage}
        data={[
          { value: 'node', label: 'Node.js' },
          { value: 'curl', label: 'curl' },
        ]}
        data-testid="code-language"
      />
      <CopyField
        label="The same in your backend"
        hint={`With an API key that has the scope${tried.newRoom === null ? '' : 's rooms:write and'} tokens:create.`}
        value={codeOf(language, tried, location.origin)}
        data-testid="token-code"
      />
      <Group justify="flex-end" gap="sm">
        <Button variant="default" onClick={onAgain} data-testid="another-token">
          Another guest
        </Button>
        <Button variant="default" onClick={onClose} data-testid="try-done">
          Done
        </Button>
      </Group>
    </Stack>
  );
}
