import { type CalloutState, calloutStates } from '../../diagnose/report.ts';
import { andMore, counted } from '../../phrases/lists.ts';
import type {
  RankedLoss,
  RecoveryReport,
  StateChange,
  StuckReport,
  WhatIfReport,
} from '../../what-if/what-if-report.ts';
import type { Marks } from '../terminal/style.ts';
import { labels } from '../text/labels.ts';

/** A statement of the report, with its details. */
export interface Item {
  readonly mark: Extract<keyof Marks, 'good' | 'bad' | 'warning' | 'unknown' | 'open'>;
  readonly head: string;
  readonly details: readonly (readonly [label: string, text: string])[];
}

/** A section of the report, the same for terminal, Markdown and HTML. */
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
/** The first texts, and the number of others. */
function briefly(texts: readonly string[], shown = most): string {
  const more = texts.length - shown;
  return [...texts.slice(0, shown), ...(more > 0 ? [andMore(more)] : [])].join('; ');
}

const detail = (label: string, text: string | undefined): readonly (readonly [string, string])[] =>
  text === undefined || text === '' ? [] : [[label, text]];

function changeItem(change: StateChange): Item {
  const { callout, from, to, effect, error, blocks, frees, unchecked, because, restsOn } = change;
  return {
    mark: markOf(change),
    head: `${callout}: ${stateText(from, effect.from)} → ${stateText(to, effect.to)}`,
    details: [
      ...detail('Expected error', to === 'absent' ? undefined : error),
      ...detail(labels.blocks, briefly(blocks)),
      ...detail('Unblocks', briefly(frees)),
      ...detail('Unchecked', briefly(unchecked)),
      ...detail('Because', because.join(', ')),
      ...detail('Based on', restsOn.join(', ')),
    ],
  };
}

/** `Deployment shop/policy → CREATE pods, intercepted by validating/policy/a → Deployment shop/policy`. */
const cycleText = ({ cycle }: StuckReport): string =>
  [
    ...cycle.map(({ workload, needs, webhook, fails }) =>
      webhook === undefined
        ? `${workload} needs ${needs}`
        : `${workload} → ${needs}, intercepted by ${webhook}${fails === true ? ' (fails already)' : ''}`,
    ),
    ...(cycle.some(({ fails }) => fails === true) ? [] : cycle.slice(0, 1).map(({ workload }) => workload)),
  ].join(' → ');

const stuckItem = (stuck: StuckReport): Item => ({
  mark: 'bad',
  head: cycleText(stuck),
  details: [
    ...detail('Waiting', briefly(stuck.waiting)),
    ...detail(labels.mitigate, stuck.opens ?? 'no single change ends the deadlock'),
  ],
});

function recoverySections({ order, stuck, notRecreated, unknown }: RecoveryReport): readonly Section[] {
  const item = (mark: Item['mark'], head: string): Item => ({ mark, head, details: [] });
  return [
    {
      title: 'Start-up order',
      items: order.map((round, at) => item('good', `${at + 1}. ${briefly(round, 10)}`)),
    },
    { title: 'Deadlocks that need a manual change', items: stuck.map(stuckItem) },
    { title: 'Not recreated by any controller', items: notRecreated.map((text) => item('bad', text)) },
    {
      title: 'Unknown',
      items: unknown.map(({ workload, needs, webhook }) =>
        item(
          'unknown',
          webhook === undefined
            ? `${workload} waits for workloads whose start is unknown`
            : `${workload}: unknown whether ${needs} passes ${webhook}`,
        ),
      ),
    },
  ];
}

/** Headings of the risk register. */
export const registerHeadings = ['#', 'EFFECT', 'BACKEND', 'READY', 'OWN PODS', 'STOPS', 'BLOCKS'] as const;

const effects = { blocks: 'blocks', 'fails-open': 'fails open', none: 'none' } as const;

/** A row of the risk register: a cell per heading. */
export const registerRow = (
  loss: RankedLoss,
): Readonly<Record<(typeof registerHeadings)[number], string>> => ({
  '#': String(loss.rank),
  EFFECT: effects[loss.effect],
  BACKEND: loss.service ?? loss.backend,
  READY: loss.failing ? `${loss.ready ?? 0} (fails)` : String(loss.ready ?? '-'),
  'OWN PODS':
    loss.effect === 'blocks' ? { yes: 'restart', no: 'deadlock', unknown: 'unknown' }[loss.comesBack] : '-',
  STOPS: loss.stops.length === 0 ? '' : counted(loss.stops.length, 'workload'),
  BLOCKS: briefly([...loss.blocks, ...loss.unchecked.map((text) => `unchecked: ${text}`)], 3),
});

/** `1 failing, 3 healthy`. */
const countsText = (counts: Readonly<Record<CalloutState, number>>): string =>
  calloutStates
    .filter((state) => counts[state] > 0)
    .map((state) => `${counts[state]} ${state}`)
    .join(', ') || 'none';

/** Number of webhooks by state, before and after. A risk register has no change of state. */
export const statesText = ({ before, after, ranking }: WhatIfReport): string =>
  ranking === undefined
    ? `before: ${countsText(before.callouts)}; after: ${countsText(after.callouts)}`
    : countsText(before.callouts);

/** The conclusion in one sentence. */
export function conclusionText({ changes, findings, recovery, ranking, notLookedAt }: WhatIfReport): string {
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
          `the loss of ${ranking.filter(({ effect }) => effect === 'blocks').length} of ${counted(ranking.length, 'backend')} would block requests`,
        ]),
  ];
  const text = parts.join('; ');
  if (text !== '') return text.charAt(0).toUpperCase() + text.slice(1);
  const unknown =
    notLookedAt.length > 0 ||
    changes.some(({ to }) => to === 'unknown') ||
    (recovery?.unknown ?? []).length > 0;
  return unknown ? 'Unknown' : 'Nothing gets worse';
}

/** The sections besides the risk register, the most important first. Empty sections are omitted. */
export function sectionsOf(report: WhatIfReport): readonly Section[] {
  const { changes, findings, resolved, recovery } = report;
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
      title: 'No longer found',
      items: resolved.map((id) => ({ mark: 'good', head: id, details: [] })),
    },
    ...(recovery === undefined ? [] : recoverySections(recovery)),
  ];
  return sections.filter(({ items }) => items.length > 0);
}
