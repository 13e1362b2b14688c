import { Ansis } from 'ansis';
import type { Look } from '../look.ts';

/** Marks that stand for a state. Each also has its word beside it: nothing depends on a mark or a colour. */
export interface Marks {
  readonly good: string;
  readonly bad: string;
  readonly warning: string;
  readonly info: string;
  readonly unknown: string;
  /** Not judged: the chain is broken before it. */
  readonly open: string;
  /** Between facts on one line. */
  readonly dot: string;
  readonly more: string;
}

const pictures: Marks = {
  good: '✔',
  bad: '✖',
  warning: '▲',
  info: 'ℹ',
  unknown: '?',
  open: '·',
  dot: '·',
  more: '…',
};
const letters: Marks = {
  good: 'ok',
  bad: 'X',
  warning: '!',
  info: 'i',
  unknown: '?',
  open: '-',
  dot: '-',
  more: '...',
};

/** How this output looks: colours that do nothing where there are none, marks, and columns. */
export interface Style {
  readonly paint: Pick<Ansis, 'bold' | 'dim' | 'red' | 'yellow' | 'green' | 'cyan' | 'magenta'>;
  readonly marks: Marks;
  /** Columns of running text: those of the terminal, up to what the eye can follow. */
  readonly width: number;
}

const narrowest = 40;
const widest = 120;

/** The sixteen colours only: the terminal's own theme decides how they look. */
export const styleOf = ({ colour, unicode, width }: Look): Style => ({
  paint: new Ansis(colour ? 1 : 0),
  marks: unicode ? pictures : letters,
  width: Math.min(Math.max(width, narrowest), widest),
});
