import { isMet, type Figure, type Goal, type Spread, type Unit } from './Figure.ts';
import type { Report, Section } from './Report.ts';

/** The page docs/benchmarks.md. `last` is the report before, with which every figure is compared. */
export function markdown(report: Report, last: Report | null): string {
  const { sections } = report;
  return [
    '# Benchmarks',
    '',
    '`npm run bench` measures everything on this page and writes it. `npm run bench -- <name>` measures one section and prints it; with `--write` it also replaces that section here.',
    'The figures depend on the machine, so most of them stand beside a baseline that was measured in the same run, in turns. **The ratio is the figure to compare**: ours divided by the baseline.',
    'A value is the median of the rounds; the smallest and the largest round follow in parentheses. “Before” is the value in the report before this one, which may come from another machine.',
    '',
    ...summary(sections),
    ...sections.flatMap((section) => [
      '',
      ...sectionLines(
        section,
        last?.sections.find(({ name }) => name === section.name),
      ),
    ]),
    '',
  ].join('\n');
}

/** One section as it is printed on the console and written to the page. */
export function sectionLines(section: Section, last: Section | undefined): string[] {
  const { title, name, about, figures, error } = section;
  return [
    `## ${title}`,
    '',
    about,
    '',
    `\`npm run bench -- ${name}\`. ${circumstances(section)}`,
    '',
    ...(error === undefined ? table(figures, last?.figures ?? []) : [`**The benchmark failed:** ${error}`]),
  ];
}

function summary(sections: Section[]): string[] {
  const goals = sections.flatMap(({ figures }) => figures.filter(({ goal }) => goal));
  const missed = sections.flatMap((section) =>
    section.figures
      .filter((figure) => isMet(figure) === false)
      .map(
        (figure) =>
          `- [${section.title}](#${anchor(section.title)}): ${figure.what}, ${reached(figure)} (goal: ${goalText(figure)})`,
      ),
  );
  return [
    `${goals.length - missed.length} of ${goals.length} goals are met.${missed.length > 0 ? ' These are not:' : ''}`,
    ...(missed.length > 0 ? ['', ...missed] : []),
  ];
}

/** The anchor that Markdown viewers give a heading. */
const anchor = (title: string) =>
  title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} -]/gu, '')
    .replaceAll(' ', '-');

function circumstances({ measuredAt, commit, machine, loadBefore, seconds }: Section): string {
  const { processor, cores, memoryGb, system, node } = machine;
  return (
    `Measured on ${measuredAt.slice(0, 10)} on commit ${commit}, in ${duration(seconds)}: ` +
    `${processor}, ${cores} cores, ${memoryGb} GB, ${system}, Node.js ${node}; load before the start: ${loadBefore.toFixed(1)}.`
  );
}

const duration = (seconds: number) =>
  seconds < 100 ? `${seconds.toFixed(0)} s` : `${(seconds / 60).toFixed(0)} min`;

function table(figures: Figure[], before: Figure[]): string[] {
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
    const earlier = before.find(({ what }) => what === figure.what);
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
      ...(hasGoal
        ? [figure.goal ? `${goalText(figure)}: ${isMet(figure) ? 'met' : '**not met**'}` : '']
        : []),
      String(count),
      earlier ? beforeText(figure, earlier) : '',
    ];
  });
  const line = (cells: string[]) => `| ${cells.join(' | ')} |`;
  return [line(headings), line(headings.map(() => '---')), ...rows.map(line)];
}

/** The earlier ratio if there is one, because it can be compared between machines, else the earlier value. */
const beforeText = ({ unit }: Figure, { ours, ratio }: Figure): string =>
  ratio ? `ratio ${number(ratio.value)}` : withUnit(number(ours.value), unit);

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

const withUnit = (text: string, unit: Unit) =>
  unit === '' ? text : `${text}${unit === '/s' || unit === '%' ? '' : ' '}${unit}`;

/** Three significant digits, and all digits before the decimal point. */
function number(value: number): string {
  if (!Number.isFinite(value)) return 'not measured';
  const digits = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value) || 1)));
  return value.toLocaleString('en-US', { maximumFractionDigits: Math.min(digits, 3) });
}
