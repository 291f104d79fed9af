import { SegmentedControl } from '@mantine/core';
import { useLocation, useParams } from 'wouter';
import { Page } from '../../ui/Page.tsx';
import { AccountRoom } from './AccountRoom.tsx';
import { AccountRooms } from './AccountRooms.tsx';
import { AccountStreams } from './AccountStreams.tsx';

/** The rooms and streams of the account, as its backend sees them: all of them, or one room. */
export function BackendPage() {
  const { view = 'rooms', room } = useParams<{ view?: string; room?: string }>();
  const [, navigate] = useLocation();
  if (room !== undefined) return <AccountRoom key={room} id={room} />;
  return (
    <Page
      title="Backend rooms and streams"
      hint="Everything that your backend has made through the HTTP API, and you here. People join with a token of yours, without a wallet and without an account."
    >
      <SegmentedControl
        aria-label="Rooms or streams"
        value={view}
        onChange={(next) => navigate(next === 'rooms' ? '/backend' : `/backend/${next}`)}
        data={[
          { value: 'rooms', label: 'Rooms' },
          { value: 'streams', label: 'Streams' },
        ]}
        maw={320}
        data-testid="backend-view"
      />
      {view === 'streams' ? <AccountStreams /> : <AccountRooms />}
    </Page>
  );
}
