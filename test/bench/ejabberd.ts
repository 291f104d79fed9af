import { ServerProcess } from '../harness/nodes/ServerProcess.ts';
import { archivingEjabberd } from './messages/archivingEjabberd.ts';
import { heldRates, inFlight, latenciesAt, warmUp, type Held } from './messages/load.ts';
import { parley, unlimited } from './messages/parley.ts';
import { pairs, type Transport } from './messages/Transport.ts';
import { ofRounds, ofSamples, type Figure } from './report/Figure.ts';
import type { Bench } from './report/Report.ts';

const rates = [100, 500, 1_000];

/** Durable messages of Parley beside those of ejabberd. */
export const ejabberd: Bench = {
  title: 'Durable messages beside ejabberd',
  about: [
    `The same load as in the section before, of ${pairs} pairs of devices, with Debian’s ejabberd as the baseline.`,
    'It archives all messages (mod_mam) in an instance of the same PostgreSQL with the same settings, to which it connects over TCP, and loads no other module that handles messages. Its clients are light ones over TCP without encryption.',
    'ejabberd inserts a row for the sender before it routes a message, and one for the recipient before it delivers it, each in a statement and commit of its own with fsync.',
    'A message counts when its recipient has it, and its sender the acknowledgement of the stream (XEP-0198), which ejabberd sends after the sender’s row is stored; afterwards the benchmark counts the rows. Recipients send no receipts.',
    `The highest rate is that with ${inFlight.toLocaleString('en-US')} messages in flight.`,
  ].join(' '),
  async run() {
    const server = await ServerProcess.start(unlimited);
    const transports: Transport[] = [];
    try {
      transports.push(await parley(server), await archivingEjabberd());
      const [ours, theirs] = transports as [Transport, Transport];
      await warmUp(transports);
      const figures: Figure[] = [];
      for (const rate of rates) {
        const samples = await latenciesAt(ours, rate);
        const baseline = { name: theirs.name, samples: await latenciesAt(theirs, rate) };
        const what = `from sending to stored and delivered, ${rate.toLocaleString('en-US')}/s`;
        figures.push(...ofSamples({ what, unit: 'ms', samples, baseline }));
      }
      return [...highestRates(await heldRates(transports), theirs.name), ...figures];
    } finally {
      for (const transport of transports) await transport.close();
      await server.dispose();
    }
  },
};

function highestRates([ours = [], theirs = []]: Held[][], name: string): Figure[] {
  const figure = (what: string, unit: '/s' | 'µs', of: (held: Held) => number) =>
    ofRounds({ what, unit, ours: ours.map(of), baseline: { name, values: theirs.map(of) } });
  return [
    figure('highest rate', '/s', ({ perSecond }) => perSecond),
    figure('CPU of the server per message', 'µs', ({ cpu }) => cpu.server),
    figure('CPU of the database per message', 'µs', ({ cpu }) => cpu.database),
  ];
}
