import { english, explainRoom, ProblemAlert } from '@parley/react';
import { Button } from '@mantine/core';
import { IconBolt } from '@tabler/icons-react';
import { useAction } from '../../data/useAction.ts';
import { useSignedIn } from '../../session/ParleyClient.tsx';
import { useNavigateHere } from '../../ui/useNavigateHere.ts';

const day = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'long' });

/** Creates a room with the usual settings and opens its door. */
export function MeetNow() {
  const { client } = useSignedIn();
  const navigate = useNavigateHere();
  const { run, isRunning, problem } = useAction(
    async () => {
      const { id } = await client.conference.create({
        name: `Meeting of ${day.format(new Date())}`,
        maxParticipants: 50,
      });
      navigate(`/rooms/${id}`);
    },
    { refreshes: ['rooms'], toProblem: (error) => explainRoom(error, english) },
  );
  return (
    <>
      <Button
        size="md"
        leftSection={<IconBolt size={20} />}
        loading={isRunning}
        onClick={() => void run()}
        data-testid="meet-now"
      >
        Meet now
      </Button>
      {problem && <ProblemAlert problem={problem} onRetry={() => void run()} />}
    </>
  );
}
