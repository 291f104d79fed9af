import { callPath, Identicon } from '@parley/react';
import { shortAddress } from '@parley/sdk';
import { Box, Button, Flex, Group, Text } from '@mantine/core';
import { IconExternalLink, IconShare2 } from '@tabler/icons-react';
import { separateLink } from '../../session/remembered.ts';
import { useOwnAddress } from '../../session/useOwnAddress.ts';
import { CopyIcon } from '../../ui/CopyIcon.tsx';
import classes from './CallsPage.module.css';

/** The wallet's address and call link, to copy and share. */
export function MyAddress() {
  const address = useOwnAddress();
  const link = `${location.origin}${callPath(address)}`;
  return (
    <Flex className="parley-card" component="section" direction="column" gap="md" aria-label="Your address">
      <Group gap="0.875rem" wrap="nowrap" miw={0}>
        <Identicon address={address} size={44} />
        <Box flex={1} miw={0}>
          <Text size="sm" c="dimmed">
            Your address
          </Text>
          <div className={classes['address']} data-testid="my-address" data-address={address} title={address}>
            {shortAddress(address)}
          </div>
        </Box>
        <CopyIcon value={address} what="your address" />
      </Group>
      <div>
        <Text size="sm" mb={6}>
          Anyone with this link can call you:
        </Text>
        <div className={classes['link']} data-testid="call-link" data-link={link}>
          <span title={link}>{link.replace(/^https?:\/\//, '')}</span>
          <CopyIcon value={link} what="the link" />
        </div>
      </div>
      <TryIt link={link} />
    </Flex>
  );
}

const canShare = 'share' in navigator;

function TryIt({ link }: { link: string }) {
  return (
    <div>
      <Button
        component="a"
        href={separateLink(link)}
        target="_blank"
        // Without an opener, the new tab does not get a copy of this tab's sessionStorage and of the wallet there.
        rel="noopener"
        variant="default"
        leftSection={<IconExternalLink size={18} />}
        mr="xs"
        mb="xs"
        data-testid="second-window"
      >
        Test with a second window
      </Button>
      {canShare && (
        <Button
          variant="subtle"
          leftSection={<IconShare2 size={18} />}
          onClick={() =>
            void navigator.share({ title: 'Call me on Parley', url: link }).catch(() => undefined)
          }
          mb="xs"
        >
          Share
        </Button>
      )}
      <Text size="sm" c="dimmed">
        Opens a second guest in a new tab, so that you can call yourself.
      </Text>
    </div>
  );
}
