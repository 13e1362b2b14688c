import { Ansis } from 'ansis';
import type { Look } from '../look.ts';

/** Marks for states. Each is printed with its word, so that no information depends on a mark or a colour. */
export interface Marks {
  readonly good: string;
  readonly bad: string;
  readonly warning: string;
  readonly info: string;
  readonly unknown: string;
  /** Not evaluated: an earlier link of the chain is broken. */
  readonly open: string;
  /** Separator of facts on one line. */
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

/** The look of the output: colours (no-ops without colour support), marks, and width. */
export interface Style {
  readonly paint: Pick<Ansis, 'bold' | 'dim' | 'red' | 'yellow' | 'green' | 'cyan' | 'magenta'>;
  readonly marks: Marks;
  /** Columns of prose: those of the terminal, up to a readable maximum. */
  readonly width: number;
}

const narrowest = 40;
const widest = 120;

/** Only the sixteen standard colours, whose look is set by the terminal's theme. */
export const styleOf = ({ colour, unicode, width }: Look): Style => ({
  paint: new Ansis(colour ? 1 : 0),
  marks: unicode ? pictures : letters,
  width: Math.min(Math.max(width, narrowest), widest),
});
