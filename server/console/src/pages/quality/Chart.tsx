import { axisEnd } from '../../ui/axisEnd.ts';
import { inDigits } from '../../ui/numbers.ts';
import type { Participant, Period } from './joinParts.ts';
import { pathOf, placeOf, plot, rangeOf, type Measure } from './measures.ts';
import classes from './Quality.module.css';
import { TimeAxis } from './TimeAxis.tsx';

interface Props {
  measure: Measure;
  participant: Participant;
  period: Period;
}

/** A measure of a participant over time, with the findings as shaded spans and the events as dotted lines. */
export function Chart({ measure: { title, unit, end, lines }, participant, period }: Props) {
  const { samples, findings, events } = participant;
  const values = lines.map(({ valueOf }) => samples.map(valueOf));
  const ranges = lines.map(({ name }, index) => ({ name, range: rangeOf(values[index] ?? [], unit) }));
  const largest = values.flat().reduce<number>((most, value) => Math.max(most, value ?? 0), 0);
  const top = end ?? axisEnd(largest);
  const x = (at: Date) => placeOf(at, period) * plot.width;
  const text = ranges.map(({ name, range }) => `${name} ${range}`.trim()).join(', ');
  return (
    <figure className={classes['figure']} data-testid="quality-chart" data-measure={title}>
      <figcaption className={classes['caption']}>
        <span className={classes['chartTitle']}>{title}</span>
        {ranges.map(({ name, range }) => (
          <span key={name} className={classes['legend']}>
            {name && <LineSample name={name} />}
            {name} {range}
          </span>
        ))}
      </figcaption>
      <div className={classes['chart']}>
        <div className={classes['axis']} aria-hidden>
          <span>{inDigits(top)}</span>
          <span>0</span>
        </div>
        <svg
          className={classes['plot']}
          viewBox={`0 0 ${plot.width} ${plot.height}`}
          preserveAspectRatio="none"
          role="img"
          aria-label={`${title} over time: ${text}`}
        >
          {findings.map((finding) => (
            <rect
              key={finding.number}
              className={classes['span']}
              x={x(finding.from)}
              width={Math.max(4, x(finding.to) - x(finding.from))}
              y={0}
              height={plot.height}
            />
          ))}
          {events.map(({ at, kind }, index) => (
            <line
              key={index}
              className={classes['mark']}
              data-kind={kind}
              x1={x(at)}
              x2={x(at)}
              y1={0}
              y2={plot.height}
            />
          ))}
          {lines.map((line) => (
            <path
              key={line.name}
              className={classes['line']}
              data-line={line.name}
              d={pathOf(line, samples, period, top)}
            />
          ))}
        </svg>
        <TimeAxis period={period} />
      </div>
    </figure>
  );
}

/** Shows how a line is drawn. */
const LineSample = ({ name }: { name: string }) => (
  <svg className={classes['lineSample']} viewBox="0 0 24 4" aria-hidden>
    <path className={classes['line']} data-line={name} d="M1 2H23" />
  </svg>
);
