import { Args, Flags, type Interfaces } from '@oclif/core';
import { parseGoDuration } from '../basics/time.ts';
import { type LabelTest, parseLabelSelector } from '../facts/objects/label-selector-text.ts';
import { certificateFormats } from '../render/render-certificate-report.ts';
import { listColumns, outputFormats, reportFormats } from '../render/render-report.ts';
import type { CalloutFilter } from '../workflows/selection/filter-callouts.ts';

// Flags and arguments that several commands have; kubectl's own are in kube-flags.ts.

function millisecondsOf(text: string): number {
  const value = /^\d+$/.test(text) ? Number(text) * 1000 : parseGoDuration(text);
  if (value === undefined || value <= 0 || value > 2 ** 31 - 1) {
    throw new Error(`invalid duration "${text}": must be a number with a unit, such as 30s, 2m or 1m30s`);
  }
  return value;
}

/** A flag with a Go duration (`90s`, `1m30s`) or whole seconds, parsed to milliseconds. */
export const duration = Flags.custom<number>({
  helpValue: 'DURATION',
  parse: async (text) => millisecondsOf(text),
});

/** The same with a default, which the help shows as it is written. */
export const durationFlag = (text: string, description: string, aliases: string[] = []) =>
  duration({ default: millisecondsOf(text), defaultHelp: async () => text, description, aliases });

/** Flags without which this one is refused, or with which it is. */
interface Relations {
  readonly dependsOn?: string[];
  readonly exclusive?: string[];
}

/** A flag with a text, which the help shows as `helpValue`. */
export const textFlag = (
  helpValue: string,
  description: string,
  more: Relations & { readonly char?: 'f' | 'n' } = {},
) => Flags.string({ helpValue, description, ...more });

/** `-f`: one file. */
export const fileFlag = (description: string, more: Relations & { readonly helpValue?: string } = {}) =>
  Flags.string({ char: 'f', helpValue: 'FILE', description, ...more });

/** A flag with one of these values; undefined if it is not given. */
export const choice = <const T extends string>(
  options: readonly T[],
  description: string,
  more: Relations & { readonly helpValue?: string } = {},
) => Flags.option({ options, description, ...more })();

/** The same with a default. */
export const choiceOr = <const T extends string>(
  value: NoInfer<T>,
  options: readonly T[],
  description: string,
  more: { readonly char?: 'o'; readonly helpValue?: string } = {},
) => Flags.option({ options, default: value, description, ...more })();

/** An argument that may be left out. */
export const argument = (name: string, description: string) =>
  Args.string({ name, description, ignoreStdin: true });

/** An argument that must be given. */
export const requiredArgument = (name: string, description: string) =>
  Args.string({ name, description, required: true, ignoreStdin: true });

const day = 24 * 60 * 60 * 1000;
const units: Readonly<Record<string, number>> = { d: day, w: 7 * day, y: 365 * day };

/** A flag with days, weeks or years (`30d`, `2w`, `1y`) or a Go duration, parsed to milliseconds. */
export const expiryWindow = Flags.custom<number>({
  helpValue: '30d',
  parse: async (text) => {
    const [, amount, unit = ''] = /^(\d+)([dwy])$/.exec(text) ?? [];
    const value = amount === undefined ? parseGoDuration(text) : Number(amount) * (units[unit] ?? 0);
    if (value === undefined || value <= 0 || !Number.isSafeInteger(Math.round(value))) {
      throw new Error(`invalid duration "${text}": must be a number with a unit, such as 30d, 2w or 12h`);
    }
    return value;
  },
});

/** A flag that may be given more than once. */
export const repeated = Flags.custom<string[]>({ multiple: true, multipleNonGreedy: true });

/** `-l`, as in kubectl. */
const selector = Flags.custom<LabelTest>({
  char: 'l',
  helpValue: 'KEY=VALUE',
  description: 'only webhooks of configurations with these labels',
  parse: async (text) => parseLabelSelector(text),
});

/** For `list`: the name of a column, the header in lower case. */
export const sortBy = Flags.option({
  options: listColumns,
  helpValue: 'COLUMN',
  description: `column to sort by: ${listColumns.join(', ')}`,
})();

/** Flags of commands that read all webhooks by default, after kubectl's own: `-n` filters webhooks here. */
export const filterFlags = {
  namespace: Flags.string({
    char: 'n',
    helpValue: 'NAME',
    description: 'only webhooks whose backend is in this namespace',
  }),
  affecting: Flags.boolean({
    description: 'with -n: webhooks that intercept requests in this namespace',
    dependsOn: ['namespace'],
  }),
  'all-namespaces': Flags.boolean({ char: 'A', description: 'all namespaces; overrides -n' }),
  selector: selector(),
} as const;

/** The filter of these flags; undefined if nothing is filtered. */
export function filterOf(flags: Readonly<Partial<Interfaces.InferredFlags<typeof filterFlags>>>): {
  readonly filter?: CalloutFilter;
} {
  const namespace = flags['all-namespaces'] === true ? undefined : flags.namespace;
  const { affecting = false, selector: labels } = flags;
  return namespace === undefined && labels === undefined ? {} : { filter: { namespace, affecting, labels } };
}

/** `-w`, as in kubectl: prints updates. */
export const watchOption = Flags.boolean({
  char: 'w',
  description: 'watch: a terminal shows the newest state, a pipe gets a line for each change',
  exclusive: ['from-snapshot'],
});

/** The time limit of a run. */
export const timeout = durationFlag('80s', 'time limit of the whole run');

/** `--probe` of commands that connect to backends as doctor does. */
export const probeLevel = (description = 'none, connect or review, as in doctor') =>
  choiceOr('review', ['none', 'connect', 'review'], description);

/** `--all` of commands that print doctor's report. */
export const allFlag = Flags.boolean({ description: 'list healthy webhooks, too, and do not shorten lists' });

/** `--details` of commands that print doctor's report. */
export const detailsFlag = Flags.boolean({
  description: 'show every failure and finding in full, not only the worst three',
});

/** The minimum severity of a finding for exit code 1. */
export const failOn = choiceOr(
  'error',
  ['error', 'warning', 'never'],
  'lowest severity that sets exit code 1',
);

/** The flags of commands that print findings of chosen checks. */
export const findingFlags = (lowest: 'info' | 'warning') => ({
  check: repeated({ helpValue: 'ID', description: 'only these checks' }),
  skip: repeated({ helpValue: 'ID', description: 'all checks except these' }),
  severity: choiceOr(lowest, ['error', 'warning', 'info'], 'lowest severity to report'),
  'fail-on': failOn,
});

/** `-o`, as in kubectl. The default is text. */
export const output = <const T extends string>(
  options: readonly T[],
  description: string,
  helpValue = options.join('|'),
) => Flags.option({ char: 'o', helpValue, options, description })();

/** `-o` of the command that prints the checks. */
export const outputFlag = output(
  outputFormats,
  'json and yaml: one document; name: names for other commands; wide: more columns',
);

/** `-o` of commands that print one document or a text for people. */
export const documentOutputFlag = output(['json', 'yaml'], 'print one document');

/** `-o` of commands that print doctor's report. */
export const reportOutputFlag = output(
  reportFormats,
  'json and yaml: one document; name: names for other commands; wide: more columns; markdown, html, junit and sarif: reports to share; brief and slack: a few lines for a chat',
  'FORMAT',
);

/** `-o` of cert-check. The default is a table. */
export const certificateOutputFlag = output(
  certificateFormats,
  'json and yaml: one document; name: names for other commands; wide: adds serials, fingerprints, names and chains; ics: a calendar; junit: for CI',
  'FORMAT',
);

/** Flags of every command that changes the cluster. */
export const changeFlags = {
  output: output(['json', 'yaml'], 'print one document, a ChangeReport'),
  yes: Flags.boolean({ char: 'y', description: 'do not ask for confirmation' }),
  'dry-run': choice(
    ['client', 'server'],
    'change nothing: client shows the diff; server also sends a server-side dry run',
    { helpValue: 'client|server' },
  ),
} as const;

/** The flag of commands that record their change. */
export const reasonFlag = {
  reason: Flags.string({
    helpValue: 'TEXT',
    description: 'why; kept in the record with your name, shown by changes and doctor',
    parse: async (text) => {
      if (text.length > 500) throw new Error('--reason must have at most 500 characters');
      return text;
    },
  }),
} as const;

/** The flag of commands that may make the webhooks of a policy engine fail open. */
export const acceptFlag = {
  'i-accept-unchecked-admission': Flags.boolean({
    description: 'required if the webhook belongs to a policy engine',
  }),
} as const;

/** The flag of commands that verify that their change is not reverted at once. */
export const watchFlag = {
  'confirm-for': durationFlag(
    '3s',
    'how long to watch whether the change is reverted (a GitOps controller may take minutes)',
    ['watch'],
  ),
} as const;

/** The argument of commands that examine webhooks. */
export const calloutArgument = (description: string) => ({
  webhook: argument('WEBHOOK', description),
});

/** The argument of commands that set a failurePolicy. */
export const configurationArgument = {
  configuration: requiredArgument('CONFIGURATION', 'a webhook configuration, or one of its webhooks'),
};
