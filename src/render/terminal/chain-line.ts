import stringWidth from 'string-width';
import type { CalloutReport, LinkState } from '../../diagnose/report.ts';
import { listed } from '../../phrases/lists.ts';
import type { Style } from './style.ts';

/** A link of a webhook's chain, for its pictures. */
interface ShownLink {
  readonly link: string;
  readonly state: LinkState;
  /** `2/3`: ready Pods and all Pods of the backend. */
  readonly count?: string;
}

/** The links of the chain in order, with their states. */
export function linksOf({ chain, replicas }: CalloutReport): readonly ShownLink[] {
  const ready = replicas.filter((replica) => replica.ready).length;
  // Ready Pods say nothing about a backend that fails for another reason, as a wrong port.
  const saysReadyPods = (state: LinkState) =>
    state !== 'open' && !(state === 'bad' && ready === replicas.length);
  return Object.entries(chain).map(([link, state]) =>
    link === 'backend' && replicas.length > 0 && saysReadyPods(state)
      ? { link, state, count: `${ready}/${replicas.length}` }
      : { link, state },
  );
}

/** At most this many links that were not checked are named. */
const mostNamed = 2;

/**
 * Renders the links of the chain with their marks, as `registration ✔  routing ✖  others not checked`: how far
 * a call gets. The links after that were not checked.
 */
export function chainLine(callout: CalloutReport, { paint, marks, width }: Style): string[] {
  const { link, state } = callout.verdict;
  if (link === undefined && state !== 'healthy') return [];
  const paints = { good: paint.green, bad: paint.red, warning: paint.yellow, unknown: paint.magenta };
  const open: string[] = [];
  const states = linksOf(callout).flatMap(({ link, state, count }) => {
    if (state === 'open') open.push(link);
    return state === 'open'
      ? []
      : [`${link} ${paints[state](marks[state])}${count === undefined ? '' : ` (${count})`}`];
  });
  // A call that no link before the network stops needs no words about the network.
  const isOpen = open.some((link) => link !== 'network');
  const ending = (which: string): string[] => [
    ...states,
    ...(isOpen ? [paint.dim(`${which} not checked`)] : []),
  ];
  const words = ending(open.length > mostNamed ? 'others' : listed(open));
  const indent = '    ';
  // Links without a mark were not checked: that is said only if there is room.
  const fitting = [words, ending('others'), states]
    .map((line) => line.join('  '))
    .find((line) => stringWidth(line) + indent.length <= width);
  if (fitting !== undefined) return [indent + fitting];
  // A mark is never separated from its link.
  const lines = [''];
  for (const word of words) {
    const line = lines.at(-1) ?? '';
    const longer = line === '' ? word : `${line}  ${word}`;
    if (stringWidth(longer) + indent.length <= width) lines.splice(-1, 1, longer);
    else lines.push(word);
  }
  return lines.map((line) => indent + line);
}
