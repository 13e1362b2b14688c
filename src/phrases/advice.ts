import { remembered } from '../basics/derive.ts';
import { andMore } from './lists.ts';

/** A command that is printed for people. */
export interface Command {
  /** The command for a shell; unknown values are in capitals. */
  readonly text: string;
  /** True if it has no placeholders. */
  readonly runnable: boolean;
  readonly placeholders: readonly string[];
}

/** A command without placeholders. */
export const runnable = (text: string): Command => ({ text, runnable: true, placeholders: [] });

/**
 * The names in commands, with the placeholder for each unknown one. A `given` name is known for every callout, or only the
 * user can choose it; the finding fills in all others. A step with a `conditional` name applies only if it is known.
 */
const words = {
  kind: ['KIND', 'given'],
  configuration: ['NAME', 'given'],
  // The owner of a configuration
  owner: ['KIND/NAME', 'given', 'conditional'],
  error: ['ERROR'],
  // An object to delete that contains no others
  leftover: ['NAME', 'given', 'conditional'],
  // A configuration of admission webhooks
  admission: ['NAME', 'given', 'conditional'],
  crd: ['NAME', 'given', 'conditional'],
  namespace: ['NAMESPACE', 'given'],
  service: ['NAME', 'given'],
  former: ['NAME'],
  workload: ['deployment/NAME', 'given'],
  // A backend with Pods
  backend: ['deployment/NAME', 'given', 'conditional'],
  // A workload with an earlier revision
  revised: ['deployment/NAME', 'given', 'conditional'],
  // A workload with a probe that stops the process
  probed: ['deployment/NAME', 'conditional'],
  api: ['apiservice/NAME', 'conditional'],
  holder: ['POD', 'conditional'],
  pod: ['POD'],
  container: ['CONTAINER'],
  node: ['NODE'],
  // A taint that a person set
  taint: ['KEY', 'conditional'],
  slice: ['NAME'],
  secret: ['NAME'],
  claim: ['NAME'],
  certificate: ['NAME'],
  host: ['SERVICE.NAMESPACE.svc'],
  key: ['KEY'],
  resource: ['PLURAL'],
  stored: ['PLURAL.VERSION.GROUP'],
  object: ['NAME'],
  user: ['system:serviceaccount:NAMESPACE:NAME'],
  account: ['NAMESPACE:NAME'],
  role: ['NAME', 'conditional'],
  clusterrole: ['NAME', 'conditional'],
  verbs: ['VERBS'],
  serviceaccount: ['NAME'],
  // Several forbidden resources
  lost: ['PLURALS', 'conditional'],
  // One forbidden resource
  permission: ['PLURAL', 'conditional'],
  // One forbidden resource with keys or permissions
  sensitive: ['PLURAL', 'conditional'],
  // A workload without a ServiceAccount of its own
  defaulted: ['deployment/NAME', 'conditional'],
  // A workload with requests for another namespace
  outside: ['deployment/NAME', 'conditional'],
  setting: ['NAME'],
  affected: ['deployment/NAME'],
  // A workload whose restart replaces Pods
  recreated: ['deployment/NAME', 'conditional'],
  // A Pod of another controller
  replaced: ['POD', 'conditional'],
  // A Pod without a controller
  alone: ['POD', 'conditional'],
  home: ['NAMESPACE'],
  controller: ['KIND/NAME', 'conditional'],
  source: ['endpointslice/NAME'],
  mounted: ['configmap/NAME'],
  // A ConfigMap with variables
  variables: ['configmap/NAME', 'conditional'],
  policy: ['networkpolicy/NAME', 'conditional'],
  cilium: ['ciliumnetworkpolicy/NAME', 'conditional'],
  calico: ['networkpolicy.crd.projectcalico.org/NAME', 'conditional'],
  place: ['NAMESPACE'],
  port: ['PORT'],
  target: ['PORT'],
  address: ['POD-ADDRESS:PORT'],
  job: ['NAME'],
  lease: ['NAME', 'conditional'],
  quota: ['NAME'],
  binding: ['NAME'],
  missing: ['NAME'],
  // The namespace, in a cluster with cert-manager
  issuing: ['NAMESPACE', 'given', 'conditional'],
  // The namespace, in a cluster with a metrics API
  metered: ['NAMESPACE', 'given', 'conditional'],
  chosen: ['NAME', 'given'],
  label: ['KEY=VALUE', 'given'],
  labels: ['KEY=VALUE'],
  blocker: ['WEBHOOK'],
} as const satisfies Readonly<Record<string, readonly [string, ...('given' | 'conditional')[]]>>;
/** A name that advice contains in braces: `{namespace}`. */
export type Name = keyof typeof words;
/**
 * Values of the names in advice; an unknown one is printed as its placeholder. `edited`: the object to edit in place of the
 * workload, because its controller writes the workload.
 */
export type Names = { readonly [N in Name | 'edited']?: string | undefined };

const conditional = (Object.keys(words) as Name[]).filter((name) =>
  words[name].some((one) => one === 'conditional'),
);

type Given = { [N in Name]: 'given' extends (typeof words)[N][number] ? N : never }[Name];
type NamesIn<Text extends string> = Text extends `${string}{${infer Found}}${infer Rest}`
  ? Extract<Found, Name> | NamesIn<Rest>
  : never;

/** Names in an advice that only the finding can fill in: all but those of the callout. */
export type OwnNames<Text extends string> = Exclude<NamesIn<Text>, Given>;

/** A word quoted for a POSIX shell. */
export const shellWord = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;

/** The parts of a command: texts, and at odd places names in braces. */
const partsOfCommand = remembered((template: string): readonly string[] => template.split(/\{([a-z]+)\}/));

/** A command with these names. */
export function commandOf(template: string, names: Names): Command {
  const placeholders: string[] = [];
  const parts = partsOfCommand(template).map((part, at, all) => {
    if (at % 2 === 0) return part;
    const value = names[part as Name];
    const isWorkload =
      part === 'workload' || (['probed', 'affected'].includes(part) && value === names.workload);
    const known = (isWorkload && all[at - 1]?.endsWith(' edit ') ? names.edited : undefined) ?? value;
    if (known !== undefined) return shellWord(known);
    if (!Object.hasOwn(words, part)) return `{${part}}`;
    const [placeholder] = words[part as Name];
    placeholders.push(placeholder);
    return placeholder;
  });
  return { text: parts.join(''), runnable: placeholders.length === 0, placeholders };
}

/** Prose, code and commands in the order of reading. */
export type AdvicePart = string | Command | { readonly code: string };

/**
 * What a step of an advice does. In the text of the advice, a step begins with its role in brackets: `[look] Read its log`.
 * - `look` only finds something out; so does `see`, whose prose means nothing without its command: `Its log: …`.
 * - `end` may end the failure: `template` by an edit of the Pod template, `choose` at only one of several objects, and
 *   `safe` by a change that needs no decision and deletes nothing: reports suggest it as the next command.
 * - `prevent` keeps the failure from happening again.
 * - `with` is a condition, a limit or the result of the steps before it, and is shown wherever they are.
 */
const roles = ['look', 'see', 'end', 'template', 'choose', 'safe', 'prevent', 'with'] as const;
/** One of {@link roles}. */
export type Role = (typeof roles)[number];

/** A step of an advice: prose, at odd places code; and the command at its end. */
export interface StepTemplate {
  readonly role: Role;
  readonly prose: readonly string[];
  readonly command?: string;
  /** It applies only if these names are known. */
  readonly needs: readonly Name[];
}

const mark = new RegExp(`(?:^| )\\[(${roles.join('|')})\\] `);
const programs = /^(kubectl|helm|timedatectl|chronyc)\b/;
const commandAtEnd = /^(?:(?<prose>.*): |)`(?<command>[^`]+)`\.?$/;

function stepOf(role: Role, text: string): StepTemplate {
  const { prose = '', command = '' } = commandAtEnd.exec(text)?.groups ?? {};
  const needs = conditional.filter((name) => text.includes(`{${name}}`));
  return programs.test(command)
    ? { role, prose: prose === '' ? [] : prose.split('`'), command, needs }
    : { role, prose: text.split('`'), needs };
}

/** The steps of a text; a text without a role is one that ends the failure. */
export function stepTemplates(text: string): readonly StepTemplate[] {
  const parts = ['end', ...text.split(mark)];
  return parts.flatMap((role, at) => {
    const step = at % 2 === 0 ? parts[at + 1] : undefined;
    return step === undefined || step === '' ? [] : [stepOf(role as Role, step)];
  });
}

/** An advice, and the values of its `{names}`. Code in backticks that starts with a {@link programs} entry is a command. */
export interface FilledAdvice {
  readonly steps: readonly StepTemplate[];
  readonly names: Names;
  /** The names of each finding, if several findings share the advice. */
  readonly each?: readonly Names[];
  /** Flags of kubectl that select the same cluster in each command, with a leading space: ` --context prod`. */
  readonly flags?: string;
}

/** Flags of helm that have another name than those of kubectl (helm.sh/docs/helm/helm). */
const helmFlags: Readonly<Record<string, string>> = {
  '--context': '--kube-context',
  '--as': '--kube-as-user',
  '--as-group': '--kube-as-group',
  '--server': '--kube-apiserver',
  '--certificate-authority': '--kube-ca-file',
  '--tls-server-name': '--kube-tls-server-name',
  '--insecure-skip-tls-verify': '--kube-insecure-skip-tls-verify',
};

/** A command with the flags at its end; in a pipe or before a command to execute, directly behind `kubectl`. */
export function withClusterFlags(text: string, flags: string): string {
  if (flags === '' || !/^(?:kubectl (?!webhook checks )|helm )/.test(text)) return text;
  if (text.startsWith('helm '))
    return `helm${flags.replace(/(?<= )--[a-z-]+/g, (flag) => helmFlags[flag] ?? flag)}${text.slice('helm'.length)}`;
  return /[|;&(]| -- /.test(text)
    ? text.replace(/(?<=^|[|;&(] ?)kubectl (?!webhook )/g, () => `kubectl${flags} `)
    : `${text}${flags}`;
}

/** A command is repeated for this many findings; of more, their number is given. */
const mostRepeated = 3;

/**
 * The command, or if it has unknown names: that for each finding with different names, and how many others there are.
 * Findings without its conditional names have no such step, and those without an affected workload no such command.
 */
function repeated(part: string, { names, each = [], flags = '' }: FilledAdvice) {
  const template = withClusterFlags(part, flags);
  const command = commandOf(template, names);
  if (command.runnable || each.length === 0) return { commands: [command], others: 0 };
  const needs = [...conditional, 'affected' as const].filter((name) => template.includes(`{${name}}`));
  const applying = each.filter((one) => needs.every((name) => one[name] !== undefined));
  const all = [
    ...new Map(applying.map((one) => commandOf(template, one)).map((one) => [one.text, one])).values(),
  ];
  return all.length > 0 && all.every(({ runnable }) => runnable)
    ? { commands: all.slice(0, mostRepeated), others: Math.max(0, all.length - mostRepeated) }
    : { commands: [command], others: 0 };
}

const divided = (commands: readonly Command[], between: string): readonly AdvicePart[] =>
  commands.length === 1
    ? commands
    : commands.flatMap((command, at) => (at === 0 ? [command] : [between, command]));

/** A step with its names. */
export interface FilledStep {
  readonly role: Role;
  readonly prose: readonly AdvicePart[];
  /** The commands at its end: one, or that for each finding. */
  readonly commands: readonly Command[];
  /** The number of further commands. */
  readonly others: number;
}

/** Fills in the names of a prose. One example is enough for code that is no command of kubectl. */
function filledProse({ role, prose }: StepTemplate, advice: FilledAdvice): readonly AdvicePart[] {
  if (prose.length < 2) return prose;
  return prose.flatMap((part, at): AdvicePart | readonly AdvicePart[] => {
    if (at % 2 === 0) return part;
    if (!programs.test(part)) return { code: commandOf(part, { ...advice.each?.[0], ...advice.names }).text };
    const { commands, others } = repeated(part, advice);
    const shown = divided(commands, role === 'choose' ? ' or ' : ', ');
    return others === 0 ? shown : [...shown, ` ${andMore(others)}`];
  });
}

/** The steps of an advice with its names. */
export const filledSteps = (advice: FilledAdvice): readonly FilledStep[] =>
  advice.steps.map((step) => ({
    role: step.role,
    prose: filledProse(step, advice),
    ...(step.command === undefined ? { commands: [], others: 0 } : repeated(step.command, advice)),
  }));

/** The parts of an advice in the order of reading. */
export const adviceParts = (
  advice: FilledAdvice,
  steps: readonly FilledStep[] = filledSteps(advice),
): readonly AdvicePart[] =>
  steps.flatMap(({ prose, commands, others }, at) => {
    const before = at === 0 ? prose : [' ', ...prose];
    if (commands.length === 0) return before;
    const end = others > 0 ? `; ${andMore(others)}.` : '.';
    return [...before, ...(prose.length > 0 ? [': '] : []), ...divided(commands, ' '), end];
  });

/** These parts as one text, with code and commands in backticks. */
export const textOfParts = (parts: readonly AdvicePart[]): string =>
  parts
    .map((part) => (typeof part === 'string' ? part : `\`${'code' in part ? part.code : part.text}\``))
    .join('');

/** The advice as one text. */
export const adviceText = (advice: FilledAdvice, steps?: readonly FilledStep[]): string =>
  textOfParts(adviceParts(advice, steps));

/** The commands of a step in order, including those with placeholders. */
export const commandsIn = ({ prose, commands }: FilledStep): readonly Command[] => [
  ...prose.filter((part) => typeof part === 'object' && 'runnable' in part),
  ...commands,
];

/** The commands of an advice in order. */
export const commandsOf = (advice: FilledAdvice): readonly Command[] =>
  filledSteps(advice).flatMap(commandsIn);

/** The commands of these steps with this name in them, before it is filled in. */
export const commandsWith = (steps: readonly StepTemplate[], name: Name): readonly string[] =>
  steps
    .flatMap(({ prose, command = '' }) => [...prose.filter((_, at) => at % 2 === 1), command])
    .filter((code) => programs.test(code) && code.includes(`{${name}}`));

/** The sentence of a step that ends with a command. */
const withoutCommand = ({ role, prose, needs }: StepTemplate): StepTemplate => ({
  role,
  prose: [...prose.slice(0, -1), `${prose.at(-1)}.`],
  needs,
});

/** The sentence alone, if its command is about a workload that the finding knows to have no argument of kubectl. */
const withoutUnknownWorkload = (step: StepTemplate, names: Names): StepTemplate =>
  'affected' in names &&
  names.affected === undefined &&
  step.prose.length > 0 &&
  step.command?.includes('{affected}') === true
    ? withoutCommand(step)
    : step;

/**
 * The API server refuses edits of the probes, ports, arguments or mounts of a Pod (kubernetes pkg/apis/core/validation
 * ValidatePodUpdate): the steps for a Pod of no workload.
 */
function forPodAlone(steps: readonly StepTemplate[]): readonly StepTemplate[] {
  const first = steps.find(({ role }) => role === 'template');
  const immutable = 'Most fields of a Pod are immutable: change its manifest, and create the Pod again.';
  return steps.flatMap((step): readonly StepTemplate[] => {
    const { role, needs } = step;
    if (role !== 'template') return [step];
    const sentence: StepTemplate = { ...withoutCommand(step), role: 'end' };
    return step === first ? [sentence, { role: 'with', prose: [immutable], needs }] : [sentence];
  });
}

/** Removes the steps, and the commands, that do not apply. */
export function applicableAdvice({ steps, names, ...advice }: FilledAdvice): FilledAdvice {
  const known = steps
    .filter(({ needs }) => needs.every((name) => names[name] !== undefined))
    .map((step) => withoutUnknownWorkload(step, names));
  return { ...advice, steps: names.probed?.startsWith('pod/') === true ? forPodAlone(known) : known, names };
}

/** Findings with one cause: all, or those of the first one's Service, if its advice is to change one of several backends. */
export function toChange<Found extends { readonly advice: FilledAdvice }>(
  all: readonly Found[],
): readonly Found[] {
  const serviceOf = ({ advice: { names } }: Found): string => `${names.namespace}/${names.service}`;
  const [first] = all;
  return first?.advice.steps[0]?.role === 'choose'
    ? all.filter((one) => serviceOf(one) === serviceOf(first))
    : all;
}

/** The step of another finding with the command that this one lacks: its finding has no workload for it. */
const withCommand = (step: StepTemplate, others: readonly FilledAdvice[]): StepTemplate =>
  (step.command === undefined
    ? others
        .flatMap(({ steps }) => steps)
        .find(
          (other) =>
            other.role === step.role &&
            other.command?.includes('{affected}') === true &&
            withoutCommand(other).prose.join('`') === step.prose.join('`'),
        )
    : undefined) ?? step;

/** Joins the advice for findings of one check: fills in shared names, and repeats commands that differ. */
export const sharedAdvice = ([first, ...others]: readonly [
  FilledAdvice,
  ...FilledAdvice[],
]): FilledAdvice => ({
  ...first,
  steps: first.steps.map((step) => withCommand(step, others)),
  each: [first, ...others].map(({ names }) => names),
  names: Object.fromEntries(
    Object.entries(first.names).filter(([name, value]) =>
      others.every(({ names }) => names[name as Name] === value),
    ),
  ),
});
