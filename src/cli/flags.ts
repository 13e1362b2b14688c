import { Args, Flags, type Interfaces } from '@oclif/core';
import { parseGoDuration } from '../facts/duration.ts';
import { type LabelTest, parseLabelSelector } from '../facts/label-selector-text.ts';
import { certificateFormats } from '../render/render-certificate-report.ts';
import { listColumns, outputFormats, reportFormats } from '../render/render-report.ts';
import type { CalloutFilter } from '../workflows/filter-callouts.ts';

// Flags and arguments that several commands have; kubectl's own are in kube-flags.ts.

/** A flag that takes a Go duration (`90s`, `1m30s`) or whole seconds, and yields milliseconds. */
export const duration = Flags.custom<number>({
  helpValue: 'DURATION',
  parse: async (text) => {
    const value = /^\d+$/.test(text) ? Number(text) * 1000 : parseGoDuration(text);
    if (value === undefined || value <= 0 || value > 2 ** 31 - 1) {
      throw new Error(`"${text}" is not a length of time; give a number with a unit: 30s, 2m, 1m30s`);
    }
    return value;
  },
});

const day = 24 * 60 * 60 * 1000;
const units: Readonly<Record<string, number>> = { d: day, w: 7 * day, y: 365 * day };

/** A flag that takes days, weeks or years (`30d`, `2w`, `1y`) or a Go duration, and yields milliseconds. */
export const expiryWindow = Flags.custom<number>({
  helpValue: '30d',
  parse: async (text) => {
    const [, amount, unit = ''] = /^(\d+)([dwy])$/.exec(text) ?? [];
    const value = amount === undefined ? parseGoDuration(text) : Number(amount) * (units[unit] ?? 0);
    if (value === undefined || value <= 0 || !Number.isSafeInteger(Math.round(value))) {
      throw new Error(`"${text}" is not a length of time; give a number with a unit: 30d, 2w, 12h`);
    }
    return value;
  },
});

/** A flag that may be given more than once. */
export const repeated = Flags.custom<string[]>({ multiple: true, multipleNonGreedy: true });

/** `-l`, as kubectl has it. */
const selector = Flags.custom<LabelTest>({
  char: 'l',
  helpValue: 'KEY=VALUE',
  description: 'only webhooks of configurations with these labels',
  parse: async (text) => parseLabelSelector(text),
});

/** Of `list`: a column's name, as its header has it in capitals. */
export const sortBy = Flags.option({
  options: listColumns,
  helpValue: 'COLUMN',
  description: `column to sort by: ${listColumns.join(', ')}`,
})();

/** Flags of commands that read all webhooks unless told. Behind kubectl's own: `-n` chooses webhooks here. */
export const filterFlags = {
  namespace: Flags.string({
    char: 'n',
    helpValue: 'NAME',
    description: 'only webhooks whose backend is in this namespace',
  }),
  affecting: Flags.boolean({
    description: 'with -n: webhooks that intercept requests in the namespace, instead',
    dependsOn: ['namespace'],
  }),
  'all-namespaces': Flags.boolean({ char: 'A', description: 'of all namespaces, whatever -n says' }),
  selector: selector(),
} as const;

/** The filter that these flags make; none when nothing is left out. */
export function filterOf(flags: Readonly<Partial<Interfaces.InferredFlags<typeof filterFlags>>>): {
  readonly filter?: CalloutFilter;
} {
  const namespace = flags['all-namespaces'] === true ? undefined : flags.namespace;
  const { affecting = false, selector: labels } = flags;
  return namespace === undefined && labels === undefined ? {} : { filter: { namespace, affecting, labels } };
}

/** `-w`, as kubectl has it: what is shown is kept up to date. */
export const keepWatching = Flags.boolean({
  char: 'w',
  description: 'watch: a terminal shows the newest state, a pipe gets a line for each change',
  exclusive: ['from-snapshot'],
});

/** The longest time for a whole run. */
export const timeout = duration({
  default: 80_000,
  defaultHelp: async () => '80s',
  description: 'longest time for the whole run',
});

/** `--all` of what prints doctor's report. */
export const allFlag = Flags.boolean({ description: 'list healthy webhooks too, and cut no list short' });

/** `--details` of what prints doctor's report. */
export const detailsFlag = Flags.boolean({
  description: 'every break and finding in full, not the worst three',
});

/** How bad a finding must be for exit code 1. */
export const failOn = Flags.option({
  options: ['error', 'warning', 'never'] as const,
  default: 'error',
  description: 'least severity that makes the exit code 1',
})();

/** `-o`, as kubectl has it. Without it: the output for people. */
export const output = <const T extends string>(
  options: readonly T[],
  description: string,
  helpValue = options.join('|'),
) => Flags.option({ char: 'o', helpValue, options, description })();

/** Of what prints the catalogue. */
export const outputFlag = output(
  outputFormats,
  'json and yaml print one document; name prints what other commands take; wide tells more',
);

/** `-o` of commands that print one document or a text for people. */
export const documentOutputFlag = output(['json', 'yaml'], 'one document instead of a text for people');

/** `-o` of what prints doctor's report. */
export const reportOutputFlag = output(
  reportFormats,
  'json and yaml print one document; name prints what other commands take; wide tells more; markdown, html, junit and sarif are reports to pass on, brief is for a channel',
  'FORMAT',
);

/** `-o` of cert-check. Without it: the table for people. */
export const certificateOutputFlag = output(
  certificateFormats,
  'json and yaml print one document; name prints what other commands take; wide adds serials, fingerprints, names and chains; ics is a calendar, junit for CI',
  'FORMAT',
);

/** Flags of every command that changes something. */
export const changeFlags = {
  output: output(['json', 'yaml'], 'print one document, a ChangeReport'),
  yes: Flags.boolean({ char: 'y', description: 'answer the question with yes' }),
  'dry-run': Flags.option({
    options: ['client', 'server'] as const,
    helpValue: 'client|server',
    description: 'change nothing: client reads and shows; server lets the API server try it too',
  })(),
} as const;

/** The flag of commands that look whether somebody takes their change back at once. */
export const watchFlag = {
  'confirm-for': duration({
    aliases: ['watch'],
    default: 3000,
    defaultHelp: async () => '3s',
    description: 'how long to look whether somebody takes it back (a GitOps controller may need minutes)',
  }),
} as const;

/** The argument of commands that look at callouts. */
export const calloutArgument = (description: string) => ({
  webhook: Args.string({ name: 'WEBHOOK', description, ignoreStdin: true }),
});

/** The argument of commands that set a failurePolicy. */
export const configurationArgument = {
  configuration: Args.string({
    name: 'CONFIGURATION',
    description: 'a configuration, or one webhook of it, by any of their names',
    required: true,
    ignoreStdin: true,
  }),
};
