import { Ago, partyName, StreamFacts } from '@parley/react';
import { Button, Text } from '@mantine/core';
import type { LiveStream } from '@parley/sdk';
import { IconBroadcast, IconPlus } from '@tabler/icons-react';
import { Link } from 'wouter';
import { useList } from '../../data/useList.ts';
import { useSignedIn } from '../../session/ParleyClient.tsx';
import { useOwnAddress } from '../../session/useOwnAddress.ts';
import { CardItem } from '../../ui/CardItem.tsx';
import { CopyIcon } from '../../ui/CopyIcon.tsx';
import { Empty } from '../../ui/Empty.tsx';
import { LoadedList } from '../../ui/LoadedList.tsx';
import { Page } from '../../ui/Page.tsx';
import { Section } from '../../ui/Section.tsx';
import cards from '../../ui/Cards.module.css';

// Polls, because the server sends no events about streams that this wallet does not watch.
const lookEveryMs = 15_000;

/** This wallet's streams and the public live streams of other wallets. */
export function StreamList() {
  const { queries } = useSignedIn();
  const own = useOwnAddress();
  const ownStreams = useList(queries.ownStreams, { everyMs: lookEveryMs });
  const live = useList(queries.liveStreams, { everyMs: lookEveryMs });
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
      <LoadedList
        list={ownStreams}
        what="your streams"
        rowHeight={84}
        empty={
          <Empty icon={IconBroadcast} title="No streams yet" isCard>
            Create one. Its page has the viewer link, the OBS settings and a button to go live.
          </Empty>
        }
        className={cards['list']}
      >
        {(stream) => <OwnStream key={stream.id} stream={stream} />}
      </LoadedList>
      <Section title="Live now" hint="Public streams of other people on this server.">
        <LoadedList
          list={{ ...live, value: others }}
          what="live streams"
          rows={1}
          rowHeight={60}
          empty={
            <Text size="sm" c="dimmed" data-testid="nothing-live">
              Nobody else is live at the moment.
            </Text>
          }
          className={cards['list']}
        >
          {(stream) => <OthersStream key={stream.id} stream={stream} />}
        </LoadedList>
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
        {partyName(host)}
      </Text>
    </CardItem>
  );
}
