import type { ConferenceRoom } from '@parley/sdk';
import { IconCalendar, IconMail, IconQrcode, IconShare2 } from '@tabler/icons-react';
import { useState } from 'react';
import { useSupport } from '../../core/useSupport.ts';
import { Row, Stack, Text } from '../../ui/Basics.tsx';
import { Button, ButtonLink } from '../../ui/Button.tsx';
import { CopyField } from '../../ui/CopyField.tsx';
import { useWords } from '../../words/WordsContext.tsx';
import type { rooms } from '../../words/rooms.ts';
import { CalendarForm } from './CalendarForm.tsx';
import { InviteWallets } from './InviteWallets.tsx';
import { QrCode } from './QrCode.tsx';

interface Props {
  room: ConferenceRoom;
  /** Invites wallets; null if the user is no host. */
  onInvite: ((wallets: string[]) => Promise<void>) | null;
}

const hasShareSheet = () => 'share' in navigator;

/** Ways to invite people: the link, also as a QR code, an e-mail or a calendar file, and for hosts a form to invite wallets. */
export function InvitePeople({ room, onInvite }: Props) {
  const words = useWords().rooms;
  const [open, setOpen] = useState<'qr' | 'calendar' | null>(null);
  const toggle = (one: 'qr' | 'calendar') => setOpen(open === one ? null : one);
  const canShare = useSupport(hasShareSheet);
  const mail = `mailto:?subject=${encodeURIComponent(room.name)}&body=${encodeURIComponent(words.emailText(room.name, room.url))}`;
  return (
    <Stack gap="0.875rem" role="group" aria-label={words.invitePeople}>
      <CopyField label={words.link} hint={hintOf(room, words)} value={room.url} data-testid="room-link" />
      <Row gap="0.375rem">
        {canShare && (
          <Button
            size="sm"
            variant="outline"
            icon={<IconShare2 size={16} aria-hidden />}
            onClick={() => void navigator.share({ title: room.name, url: room.url }).catch(() => undefined)}
            data-testid="share-link"
          >
            {words.shareLink}
          </Button>
        )}
        <ButtonLink
          size="sm"
          variant="outline"
          href={mail}
          icon={<IconMail size={16} aria-hidden />}
          data-testid="mail-link"
        >
          {words.byEmail}
        </ButtonLink>
        <Button
          size="sm"
          variant="outline"
          icon={<IconQrcode size={16} aria-hidden />}
          aria-expanded={open === 'qr'}
          onClick={() => toggle('qr')}
          data-testid="show-qr"
        >
          {words.qrCode}
        </Button>
        <Button
          size="sm"
          variant="outline"
          icon={<IconCalendar size={16} aria-hidden />}
          aria-expanded={open === 'calendar'}
          onClick={() => toggle('calendar')}
          data-testid="show-calendar"
        >
          {words.calendar}
        </Button>
      </Row>
      {open === 'qr' && (
        <div>
          <QrCode text={room.url} label={words.qrCode} />
          <Text size="sm" isDimmed>
            {words.qrHint}
          </Text>
        </div>
      )}
      {open === 'calendar' && <CalendarForm room={room} />}
      {onInvite && <InviteWallets onInvite={onInvite} />}
    </Stack>
  );
}

function hintOf({ settings, gate }: ConferenceRoom, words: typeof rooms): string {
  if (settings.locked) return words.linkOfLocked;
  if (gate) return words.linkOfGated;
  return settings.waitingRoom ? words.linkOfWaitingRoom : words.linkOfOpen;
}
