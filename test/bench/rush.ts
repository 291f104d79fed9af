import { setTimeout as delay } from 'node:timers/promises';
import { closeSockets } from '../integration/support.ts';
import { connectRoomClients } from '../harness/clients/RawRoomClient.ts';
import { ServerProcess } from '../harness/nodes/ServerProcess.ts';
import { ofSamples, ofValue } from './report/Figure.ts';
import type { Bench } from './report/Report.ts';

const people = Number(process.env.BENCH_PEOPLE ?? 500);
const goals = { max: 3_000 };

/** Many clients join one room at the same time, and later leave it at the same time. */
export const rush: Bench = {
  title: 'A full room at once',
  about: `${people} devices join one room at the same moment, and leave it at the same moment. The time runs from a device’s request until its answer with the participants and its transports.`,
  async run() {
    const server = await ServerProcess.start({ LOG_LEVEL: 'info', RATE_LIMIT_REALTIME: '100000' });
    try {
      const all = await connectRoomClients(server.url, people);
      const [host, ...others] = all;
      if (!host) throw new Error('BENCH_PEOPLE must be at least 1');
      const room = (await host.ask('conference.create', { name: 'Rush', maxParticipants: people })) as {
        id: string;
      };
      await host.join(room.id);
      await delay(1_000);
      const joins = await Promise.all(others.map((each) => each.join(room.id)));
      await delay(3_000);
      const wrongLists = all.filter(({ present }) => present.size !== people).length;
      const leaves = await Promise.all(others.map((each) => each.leave(room.id)));
      return [
        ...ofSamples({ what: 'join', unit: 'ms', samples: joins, goals }),
        ...ofSamples({ what: 'leave', unit: 'ms', samples: leaves, goals }),
        ofValue('devices with a wrong list of participants', '', wrongLists, { atMost: 0 }),
      ];
    } finally {
      closeSockets();
      await server.dispose();
    }
  },
};
