import { Button, Text } from '@mantine/core';
import { shortAddress, type LiveStream } from '@parley/sdk';
import { IconBroadcast, IconPlus } from '@tabler/icons-react';
import { Link } from 'wouter';
import { useLoaded } from '../../data/useLoaded.ts';
import { useRefreshEvery } from '../../data/useRefreshEvery.ts';
import { useWalletData } from '../../session/ParleyClient.tsx';
import { useOwnAddress } from '../../session/useOwnAddress.ts';
import { StreamFacts } from '../../streams/StreamFacts.tsx';
import { Ago } from '../../ui/Ago.tsx';
import { CardItem } from '../../ui/CardItem.tsx';
import { CardList } from '../../ui/CardList.tsx';
import { CopyIcon } from '../../ui/CopyIcon.tsx';
import { LoadingRows } from '../../ui/LoadingRows.tsx';
import { Page } from '../../ui/Page.tsx';
import { Section } from '../../ui/Section.tsx';
import cards from '../../ui/CardList.module.css';

// Polls, because the server sends no events about streams that this wallet does not watch.
const lookEveryMs = 15_000;

/** This wallet's streams and the public live streams of other wallets. */
export function StreamList() {
  const { streams } = useWalletData();
  const own = useOwnAddress();
  const live = useLoaded(streams.live);
  useRefreshEvery(lookEveryMs, streams.own.refresh);
  useRefreshEvery(lookEveryMs, streams.live.refresh);
  const others = live.value?.filter(({ host }) => host !== own) ?? null;
  return (
    <Page
      title="Streams"
      hint="Go live from this browser or with OBS, for everyone with the link or only for token holders."
    >
      <div>
        <Button
          component={Link}
          href="/streams/new"
          size="md"
          leftSection={<IconPlus size={20} />}
          data-testid="new-stream"
        >
          New stream
        </Button>
      </div>
      <CardList
        resource={streams.own}
        what="your streams"
        empty={{
          icon: IconBroadcast,
          title: 'No streams yet',
          text: 'Create one. Its page has the viewer link, the OBS settings and a button to go live.',
        }}
      >
        {(stream) => <OwnStream key={stream.id} stream={stream} />}
      </CardList>
      <Section title="Live now" hint="Public streams of other people on this server.">
        {others === null && live.isLoading && <LoadingRows what="live streams" rows={1} height={60} />}
        {others?.length === 0 && (
          <Text size="sm" c="dimmed" data-testid="nothing-live">
            Nobody else is live at the moment.
          </Text>
        )}
        {others !== null && others.length > 0 && (
          <ul className={cards['list']}>
            {others.map((stream) => (
              <OthersStream key={stream.id} stream={stream} />
            ))}
          </ul>
        )}
      </Section>
    </Page>
  );
}

function OwnStream({ stream }: { stream: LiveStream }) {
  const { id, title, watchUrl, createdAt, status } = stream;
  return (
    <CardItem
      name={title}
      data={{ 'data-testid': 'stream-item', 'data-stream': id }}
      tools={
        <>
          {status !== 'ended' && <CopyIcon value={watchUrl} what={`the link to ${title}`} />}
          <Button component={Link} href={`/streams/${id}`} variant="light" data-testid="open-stream">
            Open
          </Button>
        </>
      }
    >
      <StreamFacts stream={stream} />
      <Text size="sm" c="dimmed" mt={4}>
        Created <Ago at={createdAt} />
      </Text>
    </CardItem>
  );
}

function OthersStream({ stream }: { stream: LiveStream }) {
  const { id, title, host } = stream;
  return (
    <CardItem
      name={title}
      address={host}
      isPlain
      data={{ 'data-testid': 'live-item', 'data-stream': id }}
      tools={
        <Button component={Link} href={`/watch/${id}`} variant="light" data-testid="watch-stream">
          Watch
        </Button>
      }
    >
      <StreamFacts stream={stream} />
      <Text size="sm" c="dimmed" mt={4}>
        {shortAddress(host)}
      </Text>
    </CardItem>
  );
}
