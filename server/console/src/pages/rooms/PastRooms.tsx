import { Ago, GroupChat, spokenDuration } from '@parley/react';
import { Button, Text } from '@mantine/core';
import type { PastRoom } from '@parley/sdk';
import { IconActivity, IconMessageCircle, IconVideo } from '@tabler/icons-react';
import { useState } from 'react';
import { Link } from 'wouter';
import { useList } from '../../data/useList.ts';
import { useLoaded } from '../../data/useLoaded.ts';
import { useSignedIn } from '../../session/ParleyClient.tsx';
import { useOwnAddress } from '../../session/useOwnAddress.ts';
import { CardItem } from '../../ui/CardItem.tsx';
import cards from '../../ui/Cards.module.css';
import { Dialog } from '../../ui/Dialog.tsx';
import { LoadedList } from '../../ui/LoadedList.tsx';
import { LoadedValue } from '../../ui/LoadedValue.tsx';
import { counted } from '../../ui/numbers.ts';
import classes from './RoomsPage.module.css';

/** The rooms that have ended, with their chats and recordings. Without any, it shows nothing. */
export function PastRooms() {
  const list = useList(useSignedIn().queries.pastRooms);
  if (list.value?.length === 0 || list.isLoading) return null;
  return (
    <section aria-labelledby="past-rooms" data-testid="past-rooms">
      <h2 id="past-rooms" className={classes['past']}>
        Past rooms
      </h2>
      <LoadedList list={list} what="your past rooms" empty={null} className={cards['list']}>
        {(past) => <PastItem key={past.id} past={past} />}
      </LoadedList>
    </section>
  );
}

function PastItem({ past: { room, joinedAt, leftAt, recordings, messages } }: { past: PastRoom }) {
  const own = useOwnAddress();
  const [isOpen, setOpen] = useState(false);
  const seconds = joinedAt && leftAt ? (leftAt.getTime() - joinedAt.getTime()) / 1_000 : null;
  return (
    <CardItem
      name={room.name}
      address={room.host}
      data={{ 'data-testid': 'past-room', 'data-room': room.id }}
      tools={
        <>
          {recordings.length > 0 && (
            <Button
              component={Link}
              href="/recordings"
              variant="default"
              leftSection={<IconVideo size={18} />}
              data-testid="past-recordings"
            >
              {counted(recordings.length, 'recording')}
            </Button>
          )}
          {messages > 0 && (
            <Button
              variant="default"
              leftSection={<IconMessageCircle size={18} />}
              onClick={() => setOpen(true)}
              data-testid="past-chat"
            >
              Chat ({messages})
            </Button>
          )}
          {room.host === own && (
            <Button
              component={Link}
              href={`/quality/${room.id}`}
              variant="default"
              leftSection={<IconActivity size={18} />}
              aria-label={`Quality of ${room.name}`}
              data-testid="past-quality"
            >
              Quality
            </Button>
          )}
        </>
      }
    >
      <Text size="sm" c="dimmed">
        Ended {room.endedAt && <Ago at={room.endedAt} />}
        {seconds !== null && ` · You were there for ${spokenDuration(seconds)}`}
      </Text>
      {isOpen && <PastChat id={room.id} name={room.name} onClose={() => setOpen(false)} />}
    </CardItem>
  );
}

function PastChat({ id, name, onClose }: { id: string; name: string; onClose: () => void }) {
  const own = useOwnAddress();
  const chat = useLoaded(useSignedIn().queries.roomChat(id));
  return (
    <Dialog title={`Chat of ${name}`} onClose={onClose} isWide testId="past-chat-dialog">
      <LoadedValue of={chat} what="the chat" rows={4} rowHeight={48}>
        {(messages) => (
          <div className={classes['pastChat']}>
            <GroupChat chat={messages} own={own} empty="Nobody wrote in this room." testId="past">
              {null}
            </GroupChat>
          </div>
        )}
      </LoadedValue>
    </Dialog>
  );
}
