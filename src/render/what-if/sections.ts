import { type CalloutState, calloutStates } from '../../diagnose/report.ts';
import { andMore } from '../../phrases/lists.ts';
import { counted } from '../../phrases/numbers.ts';
import type {
  RankedLoss,
  RecoveryReport,
  StateChange,
  StuckReport,
  WhatIfReport,
} from '../../what-if/what-if-report.ts';
import { labels } from '../labels.ts';
import type { Marks } from '../terminal/style.ts';

/** One thing that the answer says, and what there is to know about it. */
export interface Item {
  readonly mark: Extract<keyof Marks, 'good' | 'bad' | 'warning' | 'unknown' | 'open'>;
  readonly head: string;
  readonly details: readonly (readonly [label: string, text: string])[];
}

/** A part of the answer, the same for terminal, Markdown and HTML. */
export interface Section {
  readonly title: string;
  readonly items: readonly Item[];
}

const effectWords = {
  blocks: 'blocks requests',
  'fails-open': 'admits requests unchecked',
  none: '',
} as const;

const stateText = (state: StateChange['to'], effect: keyof typeof effectWords): string =>
  [state, effectWords[effect]].filter(Boolean).join(', ');

function markOf({ worse, to, effect }: StateChange): Item['mark'] {
  if (worse) return effect.to === 'blocks' ? 'bad' : 'warning';
  if (to === 'unknown') return 'unknown';
  return to === 'healthy' || to === 'absent' ? 'good' : 'open';
}

const most = 6;
/** The first of many texts, and how many more there are. */
export function briefly(texts: readonly string[], shown = most): string {
  const more = texts.length - shown;
  return [...texts.slice(0, shown), ...(more > 0 ? [andMore(more)] : [])].join('; ');
}

const detail = (label: string, text: string | undefined): readonly (readonly [string, string])[] =>
  text === undefined || text === '' ? [] : [[label, text]];

function changeItem(change: StateChange): Item {
  const { callout, from, to, effect, error, blocks, unchecked, because, restsOn } = change;
  return {
    mark: markOf(change),
    head: `${callout}: ${stateText(from, effect.from)} → ${stateText(to, effect.to)}`,
    details: [
      ...detail('Expected error', to === 'absent' ? undefined : error),
      ...detail(labels.blocks, briefly(blocks)),
      ...detail('Unchecked', briefly(unchecked)),
      ...detail('Because', because.join(', ')),
      ...detail('Rests on', restsOn.join(', ')),
    ],
  };
}

/** `Deployment shop/policy → CREATE pods must pass validating/policy/a → Deployment shop/policy`. */
export const cycleText = ({ cycle }: StuckReport): string =>
  [
    ...cycle.map(({ workload, needs, webhook, fails }) =>
      webhook === undefined
        ? `${workload} needs ${needs}`
        : `${workload} → ${needs} must pass ${webhook}${fails === true ? ' (fails already)' : ''}`,
    ),
    ...(cycle.some(({ fails }) => fails === true) ? [] : cycle.slice(0, 1).map(({ workload }) => workload)),
  ].join(' → ');

const stuckItem = (stuck: StuckReport): Item => ({
  mark: 'bad',
  head: cycleText(stuck),
  details: [
    ...detail('Waiting', briefly(stuck.waiting)),
    ...detail(labels.mitigate, stuck.opens ?? 'no single change opens it'),
  ],
});

function recoverySections({ order, stuck, notRecreated, unknown }: RecoveryReport): readonly Section[] {
  const item = (mark: Item['mark'], head: string): Item => ({ mark, head, details: [] });
  return [
    {
      title: 'Start-up order',
      items: order.map((round, at) => item('good', `${at + 1}. ${briefly(round, 10)}`)),
    },
    { title: 'Deadlocks that need a person', items: stuck.map(stuckItem) },
    { title: 'Not recreated by any controller', items: notRecreated.map((text) => item('bad', text)) },
    {
      title: 'Unknown',
      items: unknown.map(({ workload, needs, webhook }) =>
        item(
          'unknown',
          webhook === undefined
            ? `${workload} waits for workloads whose start is unknown`
            : `${workload}: labels or conditions decide whether ${needs} must pass ${webhook}`,
        ),
      ),
    },
  ];
}

const lossItem = (loss: RankedLoss): Item => ({
  mark: loss.effect === 'blocks' ? 'bad' : loss.effect === 'fails-open' ? 'warning' : 'open',
  head: `${loss.rank}. ${loss.backend}: ${lossText(loss)}`,
  details: [
    ...detail(labels.blocks, briefly(loss.blocks, 3)),
    ...detail('Unchecked', briefly(loss.unchecked, 3)),
    ...detail('Cannot start', briefly(loss.stops)),
  ],
});

/** What the loss of a backend does, in a few words. */
export function lossText({ effect, ready, comesBack, failing }: RankedLoss): string {
  const own = { yes: '', no: 'deadlock: its own Pods cannot be recreated', unknown: '' }[comesBack];
  return [
    effectWords[effect] || 'no effect on requests',
    ...(ready === undefined ? [] : [counted(ready, 'ready endpoint')]),
    ...(failing ? ['fails already'] : []),
    ...(effect === 'blocks' && own !== '' ? [own] : []),
  ].join(', ');
}

/** `3 healthy, 1 failing`. */
export const countsText = (counts: Readonly<Record<CalloutState, number>>): string =>
  calloutStates
    .filter((state) => counts[state] > 0)
    .map((state) => `${counts[state]} ${state}`)
    .reverse()
    .join(', ') || 'none';

/** The answer in one sentence. */
export function answerText({ changes, findings, recovery, ranking }: WhatIfReport): string {
  const worse = changes.filter((one) => one.worse).length;
  const stuck = (recovery?.stuck ?? []).length + (recovery?.notRecreated ?? []).length;
  const parts = [
    ...(worse === 0
      ? []
      : [`${counted(worse, 'webhook or APIService gets', 'webhooks and APIServices get')} worse`]),
    ...(findings.length === 0 ? [] : [counted(findings.length, 'new finding')]),
    ...(stuck === 0 ? [] : [counted(stuck, 'deadlock')]),
    ...(ranking === undefined
      ? []
      : [
          `the loss of ${ranking.filter(({ effect }) => effect === 'blocks').length} of ${counted(ranking.length, 'backend')} blocks requests`,
        ]),
  ];
  if (parts.length > 0) return parts.join('; ');
  const unknown = changes.some(({ to }) => to === 'unknown') || (recovery?.unknown ?? []).length > 0;
  return unknown ? 'Unknown' : 'Nothing gets worse';
}

/** Everything that the report says, in the order in which people ask for it. Sections without items are left out. */
export function sectionsOf(report: WhatIfReport): readonly Section[] {
  const { changes, findings, resolved, recovery, ranking } = report;
  const sections: readonly Section[] = [
    { title: 'Changes', items: changes.map(changeItem) },
    {
      title: 'New findings',
      items: findings.map(({ id, severity, message, title }) => ({
        mark: severity === 'error' ? 'bad' : 'warning',
        head: title,
        details: [
          ['Message', message],
          ['Id', id],
        ],
      })),
    },
    {
      title: 'Resolved findings',
      items: resolved.map((id) => ({ mark: 'good', head: id, details: [] })),
    },
    ...(recovery === undefined ? [] : recoverySections(recovery)),
    { title: 'Risk register: the loss of each backend alone', items: (ranking ?? []).map(lossItem) },
  ];
  return sections.filter(({ items }) => items.length > 0);
}
