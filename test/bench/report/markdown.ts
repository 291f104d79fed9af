import { isMet, isNearGoal, type Figure, type Goal, type Spread, type Unit } from './Figure.ts';
import type { Bench, Origin, Report, Section } from './Report.ts';
import { published, readOn } from './published.ts';

/** The page docs/benchmarks.md. @param benches all benchmarks by name */
export function markdown({ sections }: Report, benches: Record<string, Pick<Bench, 'profile'>>): string {
  const unmeasured = Object.keys(benches).filter((name) =>
    sections.every((section) => section.name !== name),
  );
  const [first] = sections;
  const isOneRun = sections.every((section) => origin(section) === (first && origin(first)));
  const { programs, fsyncMs } = first?.machine ?? {};
  const seconds = sections.reduce((sum, section) => sum + section.seconds, 0);
  return [
    '# Benchmarks',
    '',
    `\`npm run bench\` measures everything and writes this page, which takes ${duration(seconds)}. \`npm run bench -- <name>\` measures one section and prints it;`,
    'with `--write` it also replaces that section here. `--profile <folder>` keeps CPU profiles of the Node.js servers, and what each statement of PostgreSQL cost.',
    'The figures depend on the machine, so most of them stand beside a baseline that was measured in the same run. **The ratio is the figure to compare**:',
    'Parley’s value divided by the baseline’s. The load comes from the same machine as the server, and shares its cores. The limits of requests and connections are raised, because all load comes from one address.',
    '',
    'A value is the median of its rounds; the smallest and the largest round follow in parentheses, and `n` is their number. The ratio is taken round by round, and the median of these ratios is shown, which differs from the ratio of the two medians.',
    'Where some rounds meet a goal and others do not, the table says “near”: another run may give the other result.',
    'The column “before” has the value in the report before this one. [The data](benchmarks.json) has the value of each round.',
    '',
    ...(isOneRun && first ? [`All figures are of one run on ${origin(first)}.`] : []),
    ...(programs === undefined
      ? []
      : [`With ${programs}. A write of 8 kB is on the disk after ${fsyncMs} ms.`]),
    '',
    ...summary(sections),
    ...(unmeasured.length > 0 ? ['', `Not measured yet: ${unmeasured.join(', ')}.`] : []),
    ...sections.flatMap((section) => ['', ...sectionLines(section, !isOneRun, benches[section.name])]),
    '',
    ...othersLines(sections),
    '',
  ].join('\n');
}

/**
 * One section as it is printed on the console and written to the page.
 * @param hasOrigin whether it says where and when it was measured
 */
export function sectionLines(
  section: Section,
  hasOrigin: boolean,
  { profile }: Pick<Bench, 'profile'> = {},
): string[] {
  const { title, name, about, figures, error, seconds, loadBefore, before } = section;
  return [
    `## ${title}`,
    '',
    about,
    '',
    `\`npm run bench -- ${name}\` takes ${duration(seconds)}. The load average before it was ${loadBefore.toFixed(1)}.`,
    ...(hasOrigin ? [`Measured on ${origin(section)}.`] : []),
    ...(before ? [`Before: ${origin(before)}.`] : []),
    '',
    ...(error === undefined ? table(figures) : [`**The benchmark failed:** ${error}`]),
    ...(profile === undefined ? [] : ['', `**Where the time goes:** ${profile}`]),
  ];
}

function summary(sections: Section[]): string[] {
  const goals = sections.flatMap(({ figures }) => figures.filter(({ goal }) => goal));
  const missed = sections.flatMap((section) =>
    section.figures
      .filter((figure) => isMet(figure) === false)
      .map((figure) => {
        const near = isNearGoal(figure) ? ', near' : '';
        return `- ${link(section)}: ${figure.what}, ${reached(figure)} (goal: ${goalText(figure)}${near})`;
      }),
  );
  const failed = sections.filter(({ error }) => error !== undefined);
  const open = [...missed, ...failed.map((section) => `- ${link(section)} could not be measured`)];
  return [
    `${goals.length - missed.length} of ${goals.length} goals are met.${open.length > 0 ? ' These are open:' : ''}`,
    ...(open.length > 0 ? ['', ...open] : []),
  ];
}

const serverCpu = ': CPU time of the server';

/** What others publish, in the unit of the viewers of a stream. */
function othersLines(sections: Section[]): string[] {
  const ours = sections
    .filter(({ name }) => name === 'viewers')
    .flatMap((section) => section.figures.map((figure) => ({ section, ...figure })))
    .filter(({ what }) => what.endsWith(serverCpu))
    .map(({ section, what, ours: { value } }) => [
      'Parley',
      what.slice(0, -serverCpu.length),
      section.machine.processor,
      withUnit(number(value), 'ms/Mbit'),
      link(section),
    ]);
  const theirs = published.map(({ server, load, machine, cores, megabits, source }) => [
    server,
    load,
    machine,
    withUnit(number((1_000 * cores) / megabits), 'ms/Mbit'),
    `[published](${source})`,
  ]);
  return [
    '## Beside figures that others publish',
    '',
    `The CPU time that others publish for forwarding video, in the unit of [Viewers of a stream](#viewers-of-a-stream): the time of the cores that were used up, divided by the megabits that were sent. We read it on ${readOn}. ` +
      'Their machines are other ones, and the time follows the packets rather than the bits: a video of fewer bits has more packets in each megabit. So only orders of magnitude can be compared. [Viewers of a stream beside Janus](#viewers-of-a-stream-beside-janus) shows another server on this machine.',
    '',
    ...rowsOf([['server', 'load', 'machine', 'CPU time of the server', 'source'], ...ours, ...theirs]),
    '',
    'mediasoup’s documentation [expects](https://mediasoup.org/documentation/v3/scalability/) a core to handle over 500 consumers; a viewer of video and audio has two. A user of LiveKit [reached 1,500 viewers](https://github.com/livekit/livekit/issues/3285) on the machine that is said to carry 3,000. ' +
      'Daily [promises](https://docs.daily.co/docs/guides/scaling-calls) a delay below 200 ms in calls, and below 400 ms in streams with up to 100,000 viewers; SRS publishes 80 ms from encoder to player; [Delay of a stream](#delay-of-a-stream-glass-to-glass) has Parley’s, without a network between. ' +
      'We found nobody who publishes how long people wait for the first frame when they join, or how long media stops when a server dies, as a distribution.',
  ];
}

const link = ({ title }: Section) => `[${title}](#${anchor(title)})`;

/** The anchor that Markdown viewers give a heading. */
const anchor = (title: string) =>
  title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} -]/gu, '')
    .replaceAll(' ', '-');

function origin({ measuredAt, commit, machine }: Origin): string {
  const { processor, cores, memoryGb, system, node } = machine;
  return (
    `${measuredAt.slice(0, 10)}, commit ${commit}: ` +
    `${processor}, ${cores} cores, ${memoryGb} GB, ${system}, Node.js ${node}`
  );
}

const duration = (seconds: number) =>
  seconds < 100 ? `${seconds.toFixed(0)} s` : `${(seconds / 60).toFixed(0)} min`;

function table(figures: Figure[]): string[] {
  const hasBaseline = figures.some(({ baseline }) => baseline);
  const hasGoal = figures.some(({ goal }) => goal);
  const headings = [
    'figure',
    'Parley',
    ...(hasBaseline ? ['baseline', 'ratio'] : []),
    ...(hasGoal ? ['goal'] : []),
    'n',
    'before',
  ];
  const rows = figures.map((figure) => {
    const { unit, ours, baseline, ratio, count } = figure;
    return [
      figure.what,
      spreadText(ours, unit),
      ...(hasBaseline
        ? [
            baseline ? `${baseline.name}: ${spreadText(baseline, unit)}` : '',
            ratio ? spreadText(ratio, '') : '',
          ]
        : []),
      ...(hasGoal ? [figure.goal ? `${goalText(figure)}: ${result(figure)}` : ''] : []),
      String(count),
      beforeText(figure),
    ];
  });
  return rowsOf([headings, ...rows]);
}

/** A table of Markdown. The first row has the headings. */
function rowsOf([headings = [], ...rows]: string[][]): string[] {
  const line = (cells: string[]) => `| ${cells.join(' | ')} |`;
  return [line(headings), line(headings.map(() => '---')), ...rows.map(line)];
}

/** The earlier ratio if there is one, because it can be compared between machines, else the earlier value. */
function beforeText({ before, unit }: Figure): string {
  if (!before) return '';
  return before.ratio === undefined ? withUnit(number(before.value), unit) : `ratio ${number(before.ratio)}`;
}

const result = (figure: Figure): string =>
  (isMet(figure) ? 'met' : '**not met**') + (isNearGoal(figure) ? ', near' : '');

const reached = ({ goal, ours, ratio, unit }: Figure): string =>
  goal?.of === 'ratio' ? `ratio ${number(ratio?.value ?? NaN)}` : withUnit(number(ours.value), unit);

function goalText({ goal, unit }: Figure): string {
  const { of, atMost, atLeast } = goal as Goal;
  const limit = atMost ?? atLeast ?? NaN;
  const text = of === 'ratio' ? `ratio ${number(limit)}` : withUnit(number(limit), unit);
  return `${atMost === undefined ? 'at least' : 'at most'} ${text}`;
}

function spreadText({ value, from, to }: Spread, unit: Unit): string {
  const range = from === to ? '' : ` (${number(from)} to ${number(to)})`;
  return withUnit(number(value), unit) + range;
}

const notMeasured = 'not measured';
const withUnit = (text: string, unit: Unit) =>
  unit === '' || text === notMeasured ? text : `${text}${unit === '/s' || unit === '%' ? '' : ' '}${unit}`;

/** Three significant digits, and all digits before the decimal point. */
function number(value: number): string {
  if (!Number.isFinite(value)) return notMeasured;
  const digits = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value) || 1)));
  return value.toLocaleString('en-US', { maximumFractionDigits: Math.min(digits, 3) });
}
